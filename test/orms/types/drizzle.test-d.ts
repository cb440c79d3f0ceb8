import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, fromDrizzle } from "async-request-reply/postgres";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool, PoolClient } from "pg";

declare const pool: Pool;
declare const client: PoolClient;
declare const db: NodePgDatabase;
type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];

const backend = createPostgresBackend({ pool, transactions: fromDrizzle(db) });
const service = createOrderService({
  backend,
  authorize: allowAnonymous(),
  create: async (_, { tx }) => {
    const created: Transaction = tx;
    await created.execute("select 1");
    return { body: {} };
  },
});
createWorker(service, {
  orders: (_, job) =>
    job.transaction(async (tx) => {
      const own: Transaction = tx;
      await own.execute("select 1");
    }),
});
const [orders] = service.definitions;
const order = { itemId: "book", quantity: 1 };
await db.transaction((tx) => service.submit(orders, order, { tenant: "demo", tx }));
// @ts-expect-error -- a client of `pg` is no transaction of the ORM
await service.submit(orders, order, { tenant: "demo", tx: client });
