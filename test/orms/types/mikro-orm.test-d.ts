import type { EntityManager, MikroORM } from "@mikro-orm/postgresql";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, fromMikroOrm } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";

declare const pool: Pool;
declare const client: PoolClient;
declare const orm: MikroORM;

const backend = createPostgresBackend({ pool, transactions: fromMikroOrm(orm.em) });
const service = createOrderService({
  backend,
  authorize: allowAnonymous(),
  create: async (_, { tx, operationId }) => {
    const created: EntityManager = tx;
    await created.execute("insert into shipments values (?)", [operationId]);
    return { body: {} };
  },
});
createWorker(service, {
  orders: (_, job) =>
    job.transaction(async (tx) => {
      const own: EntityManager = tx;
      await own.execute("insert into shipments values (?)", [job.operationId]);
    }),
});
const [orders] = service.definitions;
const order = { itemId: "book", quantity: 1 };
await orm.em.transactional((tx) => service.submit(orders, order, { tenant: "demo", tx }));
// @ts-expect-error -- a client of `pg` is no transaction of the library
await service.submit(orders, order, { tenant: "demo", tx: client });
