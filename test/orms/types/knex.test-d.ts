import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, fromKnex } from "async-request-reply/postgres";
import type { Knex } from "knex";
import type { Pool, PoolClient } from "pg";

declare const pool: Pool;
declare const client: PoolClient;
declare const db: Knex;

const backend = createPostgresBackend({ pool, transactions: fromKnex(db) });
const service = createOrderService({
  backend,
  authorize: allowAnonymous(),
  create: async (_, { tx, operationId }) => {
    const created: Knex.Transaction = tx;
    await created("shipments").insert({ id: operationId });
    return { body: {} };
  },
});
createWorker(service, {
  orders: (_, job) =>
    job.transaction(async (tx) => {
      const own: Knex.Transaction = tx;
      await own("shipments").insert({ id: job.operationId });
    }),
});
const [orders] = service.definitions;
const order = { itemId: "book", quantity: 1 };
await db.transaction((tx) => service.submit(orders, order, { tenant: "demo", tx }));
const provided = await db.transactionProvider()();
await service.submit(orders, order, { tenant: "demo", tx: provided });
// @ts-expect-error -- the database object is no transaction
await service.submit(orders, order, { tenant: "demo", tx: db });
// @ts-expect-error -- a client of `pg` is no transaction of the library
await service.submit(orders, order, { tenant: "demo", tx: client });
