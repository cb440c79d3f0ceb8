import { createRequire } from "node:module";
import type { AlarmStorage, ObjectRows } from "async-request-reply/durable-objects";

interface Statement {
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): unknown;
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => Database;

/** The storage of an object in memory, with the time of its alarm. */
export interface MemoryStorage extends AlarmStorage {
  alarmAt: number | null;
}

const HAS_ROWS = /^\s*(?:select|with)\b|\breturning\b/i;

/** Creates the storage of an object in memory. */
export function createMemoryStorage(): MemoryStorage {
  let database = new Database(":memory:");
  let depth = 0;
  const values = new Map<string, unknown>();
  const exec = (query: string, parameters: readonly unknown[]): unknown[] => {
    if (HAS_ROWS.test(query)) return database.prepare(query).all(...parameters);
    if (parameters.length > 0) database.prepare(query).run(...parameters);
    else database.exec(query);
    return [];
  };
  const storage: MemoryStorage = {
    alarmAt: null,
    sql: {
      exec: (query, ...parameters): ObjectRows => {
        const rows = exec(query, parameters);
        return { toArray: () => rows };
      },
    },
    transactionSync: (steps) => {
      const name = `level_${depth}`;
      database.exec(`savepoint ${name}`);
      depth += 1;
      try {
        return steps();
      } catch (error) {
        database.exec(`rollback to ${name}`);
        throw error;
      } finally {
        depth -= 1;
        database.exec(`release ${name}`);
      }
    },
    getAlarm: async () => storage.alarmAt,
    setAlarm: async (at) => {
      storage.alarmAt = at;
    },
    deleteAlarm: async () => {
      storage.alarmAt = null;
    },
    get: async (key) => values.get(key),
    put: async (key, value) => void values.set(key, value),
    list: async () => values,
    deleteAll: async () => {
      database.close();
      database = new Database(":memory:");
      values.clear();
    },
  };
  return storage;
}
