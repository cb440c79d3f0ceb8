import { PGlite } from "@electric-sql/pglite";
import {
  createMemoryBackend,
  createOrderService,
  createService,
  createWorker,
  type Job,
  type Order,
  type Service,
} from "async-request-reply";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { authorize, exportsOf, reports } from "./definitions.js";

declare const pool: Pool;
declare const client: PoolClient;

/** Processors get the transaction handle and the result type with their exact types. */
const backend = createPostgresBackend({ pool });
const service = createService({
  backend,
  definitions: [reports, exportsOf],
  authorize,
  create: {
    reports: async ({ title }, { tx }) => {
      await tx.query("insert into reports values ($1)", [title]);
      return { body: {} };
    },
  },
});
createWorker(service, {
  reports: (report, job) =>
    job.transaction(async (tx) => {
      const { rowCount } = await tx.query("select from pages where year = $1", [report.year]);
      return { pages: rowCount ?? 0 };
    }),
  // @ts-expect-error -- not a result of the definition
  exports: (_, job) => job.transaction((tx) => tx.nothing),
});
createWorker(service, {
  // @ts-expect-error -- the result lacks `pages`
  reports: (_, job) => job.transaction(async () => ({ leaves: 1 })),
});

/** A processor can be written for any back end, for this one, or for a worker without a service. */
const anywhere = (_: Order, job: Job): Promise<string> => job.transaction(() => "done");
const here = (_: Order, job: Job<unknown, PoolClient>): Promise<number | null> =>
  job.transaction(async (tx) => (await tx.query("select 1")).rowCount);
const orders = createOrderService({ backend, authorize });
createWorker(orders, { orders: anywhere });
createWorker(orders, { orders: here });
createWorker({ backend, definitions: orders.definitions }, { orders: here });
// @ts-expect-error -- written for another kind of transaction
createWorker(orders, { orders: (_: Order, job: Job<unknown, { rollback(): void }>) => job.attempt });

/** The memory back end shares no transactions, and its type says so. The default back end is typed like it. */
const inMemory = createOrderService({ backend: createMemoryBackend(), authorize });
createWorker(inMemory, { orders: anywhere });
// @ts-expect-error -- there are no transactions
createWorker(inMemory, { orders: (_, job) => job.transaction(() => "done") });

/** PGlite has its own transaction handle. */
const embedded = createOrderService({
  backend: createPostgresBackend({ pool: fromPGlite(new PGlite()) }),
  authorize,
});
createWorker(embedded, { orders: (_, job) => job.transaction((tx) => tx.query("select 1", [])) });

/** Submitting in a transaction takes the schema's input, not its output. */
const options = { tenant: "tenant-1", key: "k", tx: client };
const order = { itemId: "a", quantity: 1 };
export const submitted: readonly Promise<{ readonly operationId: string }>[] = [
  service.submit(reports, { year: 2026 }, options),
  service.submit(exportsOf, { accountId: "1" }, options),
  orders.submit(orders.definitions[0], order, options),
  // @ts-expect-error -- this is the input of the other definition
  service.submit(exportsOf, { year: 2026 }, options),
  // @ts-expect-error -- a pool is not a transaction
  orders.submit(orders.definitions[0], order, { tenant: "tenant-1", tx: pool }),
];

/** Each of them can be used as any service. */
export const taken: readonly Service[] = [service, orders, inMemory, embedded];

/** `create` gets the transaction handle of the service's back end. */
createOrderService({
  backend,
  authorize,
  create: async ({ itemId }, { tx, operationId }) => {
    await tx.query("insert into orders values ($1, $2)", [operationId, itemId]);
    return { body: { itemId } };
  },
});
