import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";
import { expect } from "vitest";
import { mountTmpfs, unmountTmpfs } from "../support/tmpfs.js";
import { createChecks, type Effect, type OrderBench } from "./order-bench.js";
import { createOrderProcesses } from "./order-processes.js";
import { type SqliteUser, startSqliteUser } from "./sqlite-user.js";

export type SqliteBench = ReturnType<typeof openSqliteBench>;

/** Options of {@link openSqliteBench}. */
export interface SqliteBenchOptions {
  /** Size of a file system for the database file. Default: no limit, in the temporary folder. */
  readonly diskMegabytes?: number;
  /** A file to restore. Default: the bench starts with an empty file. */
  readonly backup?: string;
}

/** Opens an SQLite file, a second file for effects, and processes that use both. */
export function openSqliteBench({ diskMegabytes, backup }: SqliteBenchOptions = {}) {
  const parent = mkdtempSync(join(tmpdir(), "sqlite-bench-"));
  const folder = join(parent, "data");
  const path = join(folder, "orders.db");
  const effectsPath = join(parent, "effects.db");
  mkdirSync(folder);
  if (diskMegabytes !== undefined) mountTmpfs(folder, diskMegabytes);
  if (backup !== undefined) copyFileSync(backup, path);
  const database = new Database(path);
  const effects = openEffects(effectsPath);
  const backend = createSqliteBackend({ database });
  const processes = createOrderProcesses();
  const users: SqliteUser[] = [];
  /** Starts another program that uses the file. It is killed at the end. */
  const user = (): SqliteUser => {
    const started = startSqliteUser(path);
    users.push(started);
    return started;
  };
  const rowsOf = async (table: "ledger" | "effects"): Promise<Effect[]> =>
    effects
      .prepare(`select operation_id as operationId, item_id as itemId, attempt from ${table}`)
      .all() as Effect[];
  const bench: OrderBench = {
    ...createChecks(backend, rowsOf),
    start: (process) =>
      processes.start({ url: `sqlite:${path}`, ledgerUrl: `sqlite:${effectsPath}`, ...process }),
    lock: async () => {
      const locker = user();
      await locker.run("begin immediate");
      return () => locker.close();
    },
    restartStore: async () => {},
    close: async () => {
      await processes.close();
      await Promise.all(users.map((started) => started.close()));
      await backend.close();
      database.close();
      effects.close();
      if (diskMegabytes !== undefined) unmountTmpfs(folder);
      rmSync(parent, { recursive: true });
    },
  };
  return {
    ...bench,
    /** The database file. */
    path,
    /** The folder of the database file. The effects are elsewhere. */
    folder,
    user,
    /** Checks that SQLite finds no damage in the file. */
    expectIntact: async (): Promise<void> => {
      expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    },
  };
}

function openEffects(path: string): InstanceType<typeof Database> {
  const effects = new Database(path);
  effects.exec("pragma journal_mode = wal");
  const columns = "item_id text not null, attempt integer not null";
  effects.exec(`create table effects (operation_id text not null, ${columns})`);
  effects.exec(`create table ledger (operation_id text primary key, ${columns})`);
  return effects;
}
