import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, fromPrisma } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import type { Prisma, PrismaClient } from "../generated/prisma/client.js";

declare const pool: Pool;
declare const client: PoolClient;
declare const prisma: PrismaClient;

const backend = createPostgresBackend({ pool, transactions: fromPrisma(prisma) });
const service = createOrderService({
  backend,
  authorize: allowAnonymous(),
  create: async (_, { tx }) => {
    const created: Prisma.TransactionClient = tx;
    await created.cart.count();
    return { body: {} };
  },
});
createWorker(service, {
  orders: (_, job) =>
    job.transaction(async (tx) => {
      const own: Prisma.TransactionClient = tx;
      await own.cart.count();
    }),
});
const [orders] = service.definitions;
const order = { itemId: "book", quantity: 1 };
await prisma.$transaction((tx) => service.submit(orders, order, { tenant: "demo", tx }));
// @ts-expect-error -- a client of `pg` is no transaction of the ORM
await service.submit(orders, order, { tenant: "demo", tx: client });
// The transaction of an extended client has its extensions.
const extended = prisma.$extends({ model: { cart: { pay: async () => "paid" } } });
const others = createPostgresBackend({ pool, transactions: fromPrisma(extended) });
createWorker(createOrderService({ backend: others, authorize: allowAnonymous() }), {
  orders: (_, job) => job.transaction((tx) => tx.cart.pay()),
});
