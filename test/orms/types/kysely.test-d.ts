import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, fromKysely } from "async-request-reply/postgres";
import type { Kysely, Transaction } from "kysely";
import type { Pool, PoolClient } from "pg";

interface Tables {
  shipments: { id: string };
}

declare const pool: Pool;
declare const client: PoolClient;
declare const db: Kysely<Tables>;

const backend = createPostgresBackend({ pool, transactions: fromKysely(db) });
const service = createOrderService({
  backend,
  authorize: allowAnonymous(),
  create: async (_, { tx, operationId }) => {
    const created: Transaction<Tables> = tx;
    await created.insertInto("shipments").values({ id: operationId }).execute();
    return { body: {} };
  },
});
createWorker(service, {
  orders: (_, job) =>
    job.transaction(async (tx) => {
      const own: Transaction<Tables> = tx;
      await own.insertInto("shipments").values({ id: job.operationId }).execute();
      // @ts-expect-error -- a table that does not exist
      await tx.selectFrom("carts").execute();
    }),
});
const [orders] = service.definitions;
const order = { itemId: "book", quantity: 1 };
await db.transaction().execute((tx) => service.submit(orders, order, { tenant: "demo", tx }));
const controlled = await db.startTransaction().execute();
await service.submit(orders, order, { tenant: "demo", tx: controlled });
await controlled.commit().execute();
// @ts-expect-error -- the database object is no transaction
await service.submit(orders, order, { tenant: "demo", tx: db });
// @ts-expect-error -- a client of `pg` is no transaction of the library
await service.submit(orders, order, { tenant: "demo", tx: client });
