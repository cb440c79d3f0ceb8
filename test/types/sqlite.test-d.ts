import {
  type Backend,
  createMemoryBackend,
  createOrderService,
  createService,
  createWorker,
  type Job,
  type Order,
  type Service,
  withQueue,
} from "async-request-reply";
import type { Sync } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createSqliteBackend, type SqliteBackend } from "async-request-reply/sqlite";
import type { Pool } from "pg";
import { authorize, type Database, reports } from "./definitions.js";

declare const database: Database;
declare const pool: Pool;

/** The handle is the database, with the type of its client. */
const backend = createSqliteBackend({ database });
const service = createService({ backend, definitions: [reports], authorize });
createWorker(service, {
  reports: ({ year }, job) =>
    job.transaction((db) => {
      db.pragma("foreign_keys");
      return { pages: db.prepare("insert into reports values (?)").run(year).changes };
    }),
});
createWorker(service, {
  reports: async ({ year }, job) => {
    const title: unknown = await job.transaction((db) => db.prepare("select title").get(year));
    await job.transaction((db) => void db.exec("delete from reports"));
    return { pages: title === undefined ? 0 : 1 };
  },
});
createWorker(service, {
  // @ts-expect-error -- the result lacks `pages`
  reports: (_, job) => job.transaction(() => ({ leaves: 1 })),
});

/** Nothing that returns a promise compiles. */
createWorker(service, {
  reports: async (_, job) => {
    // @ts-expect-error -- an asynchronous function
    await job.transaction(async (db) => db.exec("delete from reports"));
    // @ts-expect-error -- returns a promise
    await job.transaction(() => Promise.resolve(1));
    // @ts-expect-error -- returns a promise sometimes
    await job.transaction((db) => (db.pragma("a") === 1 ? 1 : Promise.resolve(1)));
    // @ts-expect-error -- returns something that can be awaited
    await job.transaction((): PromiseLike<number> => Promise.resolve(1));
    return { pages: 1 };
  },
});

/** Processors for any back end, for this one, and for a worker without a service. */
const anywhere = (_: Order, job: Job): Promise<string> => job.transaction(() => "done");
const here = (_: Order, job: Job<unknown, Sync<Database>>): Promise<number> =>
  job.transaction((db) => db.prepare("delete from reports").run().changes);
const elsewhere = (_: Order, job: Job<unknown, { query(): Promise<void> }>): Promise<void> =>
  job.transaction((tx) => tx.query());
const orders = createOrderService({ backend, authorize });
createWorker(orders, { orders: anywhere });
createWorker(orders, { orders: here });
createWorker({ backend, definitions: orders.definitions }, { orders: here });
// @ts-expect-error -- written for asynchronous transactions
createWorker(orders, { orders: elsewhere });

/** A submission in your own transaction has two steps, and the second one is synchronous. */
const options = { tenant: "tenant-1", key: "k" };
export async function submit(): Promise<string> {
  const prepared = await service.prepare(
    reports,
    { year: 2026 },
    { ...options, delayMs: 1_000, startWithinMs: 1_000 },
  );
  const { operationId } = prepared.record(database);
  // @ts-expect-error -- not the database
  prepared.record("orders.db");
  // @ts-expect-error -- not the input of the definition
  await service.prepare(reports, { month: 1 }, options);
  // @ts-expect-error -- the tenant is required
  await service.prepare(reports, { year: 2026 }, { key: "k" });
  // @ts-expect-error -- the transactions are synchronous
  await service.submit(reports, { year: 2026 }, { ...options, tx: database });
  return operationId;
}

/** `create` can be asynchronous, so it has no `tx`. */
createOrderService({
  backend,
  authorize,
  // @ts-expect-error -- no `tx`
  create: async ({ itemId }, { tx }) => ({ body: { itemId, tx } }),
});
createOrderService({ backend, authorize, create: async ({ itemId }) => ({ body: { itemId } }) });

/** Other back ends have no `prepare`. */
const order = { itemId: "a", quantity: 1 };
const inMemory = createOrderService({ backend: createMemoryBackend(), authorize });
const onPostgres = createOrderService({ backend: createPostgresBackend({ pool }), authorize });
export const refused: readonly Promise<unknown>[] = [
  // @ts-expect-error -- shares no transactions
  inMemory.prepare(inMemory.definitions[0], order, options),
  // @ts-expect-error -- the transactions are asynchronous
  onPostgres.prepare(onPostgres.definitions[0], order, options),
];

/** The back end and its services fit wherever any of them fits, and replacing the queue keeps the transactions. */
export const backends: readonly Backend[] = [backend, withQueue(backend, createMemoryBackend().queue)];
export const anySqlite: SqliteBackend = backend;
export const services: readonly Service[] = [service, orders];
const mixed = createOrderService({ backend: withQueue(backend, createMemoryBackend().queue), authorize });
createWorker(mixed, { orders: (_, job) => job.transaction((db) => db.prepare("delete").run().changes) });
