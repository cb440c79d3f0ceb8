import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, fromTypeOrm } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import type { DataSource, EntityManager } from "typeorm";

declare const pool: Pool;
declare const client: PoolClient;
declare const dataSource: DataSource;

const backend = createPostgresBackend({ pool, transactions: fromTypeOrm(dataSource) });
const service = createOrderService({
  backend,
  authorize: allowAnonymous(),
  create: async (_, { tx, operationId }) => {
    const created: EntityManager = tx;
    await created.insert("shipments", { id: operationId });
    return { body: {} };
  },
});
createWorker(service, {
  orders: (_, job) =>
    job.transaction(async (tx) => {
      const own: EntityManager = tx;
      await own.insert("shipments", { id: job.operationId });
    }),
});
const [orders] = service.definitions;
const order = { itemId: "book", quantity: 1 };
await dataSource.transaction((tx) => service.submit(orders, order, { tenant: "demo", tx }));
const runner = dataSource.createQueryRunner();
await runner.startTransaction("SERIALIZABLE");
await service.submit(orders, order, { tenant: "demo", tx: runner.manager });
// @ts-expect-error -- a client of `pg` is no transaction of the library
await service.submit(orders, order, { tenant: "demo", tx: client });
