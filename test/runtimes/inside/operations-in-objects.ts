import { defineOperation, defineOrders } from "async-request-reply";
import {
  type AlarmStorage,
  createOperationsObject,
  type ObjectNamespace,
  type ObjectRows,
  type ObjectSql,
  type ObjectState,
  routeToTenant,
} from "async-request-reply/durable-objects";
import { createWebhooks, sendWithFetch } from "async-request-reply/webhooks";
import * as z from "zod";

const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.strictObject({ name: z.string(), takesMs: z.int().optional() }),
  result: z.strictObject({ name: z.string(), startedAt: z.int(), beside: z.int() }),
  cancellable: true,
});
const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input: z.strictObject({ words: z.array(z.string()) }),
  chunk: z.string(),
});
const passing = defineOperation({
  name: "passing",
  path: "/passing",
  input: z.strictObject({ keeps: z.enum(["a row", "a value"]).optional() }),
  retentionMs: 1_000,
});
const steps = defineOperation({
  name: "steps",
  path: "/steps",
  input: z.strictObject({ step: z.int() }),
  serialBy: () => "only",
});
const orders = defineOrders();
const definitions = [orders, reports, answers, passing, steps] as const;

/** The rows that the transactions of orders and steps have written. */
const EFFECTS = "create table if not exists effects (kind text, value text)";

/** The rows of a statement, as workerd counts them. */
interface CountingRows extends ObjectRows {
  readonly rowsWritten: number;
}

/** The storage of values under keys. */
interface ValueStorage {
  put(key: string, value: unknown): Promise<void>;
}

/** Announces ends to the object without a name, because requests of objects lead back to the Worker. */
const webhooks = createWebhooks({
  endpoint: () => ({
    url: "https://receiver.example/test/hooks",
    secrets: [`whsec_${btoa("s".repeat(32))}`],
  }),
  send: sendWithFetch,
});

interface Env {
  readonly OBJECTS: ObjectNamespace<unknown>;
}

/** A storage with counts of the rows that are written to it, with those of indexes, and of changes of the alarm. */
interface CountedStorage {
  readonly storage: AlarmStorage;
  readonly rows: () => number;
  readonly alarms: () => number;
}

function counting(storage: AlarmStorage): CountedStorage {
  const cursors: { readonly rowsWritten: number }[] = [];
  let alarms = 0;
  const exec: ObjectSql["exec"] = (query, ...parameters) => {
    const cursor = storage.sql.exec(query, ...parameters) as CountingRows;
    cursors.push(cursor);
    return cursor;
  };
  return {
    rows: () => cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
    alarms: () => alarms,
    storage: {
      sql: { exec },
      transactionSync: (steps) => storage.transactionSync(steps),
      getAlarm: () => storage.getAlarm(),
      setAlarm: (at) => {
        alarms += 1;
        return storage.setAlarm(at);
      },
      get: (key) => storage.get(key),
      put: (key, value) => storage.put(key, value),
      list: (options) => storage.list(options),
      deleteAll: () => storage.deleteAll(),
      deleteAlarm: () => storage.deleteAlarm(),
    },
  };
}

/** Keeps the operations of one tenant. Paths below `/test` show what it holds. */
export class TestObject {
  readonly #storage: AlarmStorage;
  readonly #counted: CountedStorage;
  /** Bodies of the webhooks that it got. */
  readonly #hooks: unknown[] = [];
  readonly #operations;
  #running = 0;

  constructor(state: ObjectState & { readonly storage: ValueStorage }) {
    this.#storage = state.storage;
    this.#counted = counting(state.storage);
    const { storage } = this.#counted;
    const counted: ObjectState = {
      id: state.id,
      storage,
      waitUntil: (work) => state.waitUntil(work),
      blockConcurrencyWhile: (work) => state.blockConcurrencyWhile(work),
    };
    this.#operations = createOperationsObject(counted, {
      definitions,
      processors: {
        orders: ({ itemId }, { transaction }) =>
          transaction((sql) => {
            sql.exec(EFFECTS);
            sql.exec("insert into effects values ('order', ?)", itemId);
            const effects = sql.exec("select * from effects where kind = 'order' and value = ?", itemId);
            return { shipped: effects.toArray().length };
          }),
        steps: ({ step }, { transaction }) =>
          transaction((sql) => {
            sql.exec(EFFECTS);
            sql.exec("insert into effects values ('step', ?)", String(step));
          }),
        reports: async ({ name, takesMs = 0 }, { signal }) => {
          const startedAt = Date.now();
          this.#running += 1;
          const beside = this.#running;
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
            setTimeout(resolve, takesMs);
          });
          this.#running -= 1;
          signal.throwIfAborted();
          return { name, startedAt, beside };
        },
        answers: async ({ words }, { write }) => {
          for (const word of words) {
            await write(word);
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
        },
        passing: async ({ keeps }) => {
          if (keeps === "a row") storage.sql.exec("create table kept (item text)");
          if (keeps === "a value") await state.storage.put("kept", 1);
        },
      },
      service: { list: true, observe: false, ...(state.id.name === "hooked" ? { webhooks } : {}) },
      worker: { leaseMs: 3_000 },
    });
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/test/effects") {
      this.#storage.sql.exec(EFFECTS);
      return Response.json(this.#storage.sql.exec("select * from effects order by rowid").toArray());
    }
    if (pathname === "/test/contents") return Response.json(await this.#contents());
    if (pathname === "/test/hooks") {
      if (request.method === "POST") this.#hooks.push(await request.json());
      return Response.json(this.#hooks);
    }
    const tenant = tenantOf(request.headers.get("x-tenant"));
    if (pathname === "/test/prepared")
      return Response.json(await this.#recordPrepared(tenant, searchParams.has("rollback")));
    if (pathname !== "/test/delayed") return this.#operations.fetch(request);
    const delayMs = Number(searchParams.get("ms"));
    const { operationId } = await this.#operations.service.submit(
      reports,
      { name: "delayed" },
      { tenant, delayMs },
    );
    return Response.json({ path: `/operations/${operationId}`, dueAt: Date.now() + delayMs });
  }

  alarm(): Promise<void> {
    return this.#operations.alarm();
  }

  /** Records a report in a transaction of the user. Returns its path. */
  async #recordPrepared(tenant: string, rollsBack: boolean): Promise<string> {
    const storage = this.#storage;
    const { service } = this.#operations;
    const prepared = await service.prepare(reports, { name: "prepared" }, { tenant });
    let path = "";
    try {
      storage.transactionSync(() => {
        path = `/operations/${prepared.record(storage.sql).operationId}`;
        if (rollsBack) throw new Error("The user rolls back.");
      });
    } catch {}
    return path;
  }

  async #contents(): Promise<unknown> {
    const { rows, alarms } = this.#counted;
    const tables = this.#storage.sql.exec("select name from sqlite_master where name like 'arr_%'").toArray();
    return { tables: tables.length, alarm: await this.#storage.getAlarm(), rows: rows(), alarms: alarms() };
  }
}

const route = routeToTenant({
  definitions,
  authorize: ({ header }) => {
    const tenant = header("x-tenant");
    return tenant === undefined ? undefined : { id: "caller", tenant: tenantOf(tenant) };
  },
  objects: ({ OBJECTS }: Env) => OBJECTS,
  list: true,
  observe: false,
});

function tenantOf(value: string | null): string {
  return decodeURIComponent(value ?? "");
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> => {
    if (!new URL(request.url).pathname.startsWith("/test/")) return route(request, env);
    const { OBJECTS } = env;
    return OBJECTS.get(OBJECTS.idFromName(tenantOf(request.headers.get("x-tenant")))).fetch(request);
  },
};
