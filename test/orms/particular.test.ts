import { randomBytes } from "node:crypto";
import { EntitySchema as MikroEntity, MikroORM } from "@mikro-orm/postgresql";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import {
  createPostgresBackend,
  fromKnex,
  fromMikroOrm,
  fromTypeOrm,
  type SqlTransactions,
} from "async-request-reply/postgres";
import knex from "knex";
import { Pool } from "pg";
import { DataSource } from "typeorm";
import { expect, it } from "vitest";
import { describePostgres } from "../support/postgres/server.js";
import { DATABASE_URL } from "./suite.js";

await describePostgres("particular libraries", (server) => {
  /** Submits an order, makes one attempt, and returns the state of its operation and what the attempt threw. */
  async function work<Tx>(schema: string, transactions: SqlTransactions<Tx>, run: (tx: Tx) => Promise<void>) {
    const pool = new Pool({ connectionString: DATABASE_URL });
    const backend = createPostgresBackend({ pool, transactions, schema });
    const service = createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });
    const [orders] = service.definitions;
    let thrown: unknown;
    const worker = createWorker(
      service,
      {
        orders: (_, job) =>
          job
            .transaction((tx) => run(tx as Tx))
            .catch((error: unknown) => {
              thrown = error;
              throw error;
            }),
      },
      { maxAttempts: 1 },
    );
    try {
      const { operationId } = await service.submit(
        orders,
        { itemId: "book", quantity: 1 },
        { tenant: "demo" },
      );
      await worker.runUntilIdle();
      return { state: (await backend.operations.get(operationId, "demo"))?.state, thrown };
    } finally {
      await backend.close();
      await pool.end();
    }
  }

  const inSchema = (name: string, run: (schema: string) => Promise<void>): void => {
    it(name, async () => {
      const schema = `orms_${randomBytes(8).toString("hex")}`;
      try {
        await run(schema);
      } finally {
        await server.pool.query(`drop schema if exists "${schema}" cascade`);
      }
    });
  };

  inSchema("completes nothing on a connection of Knex that the function has given back", async (schema) => {
    const db = knex({ client: "pg", connection: DATABASE_URL });
    const { state, thrown } = await work(schema, fromKnex(db), async (tx) => {
      await tx.commit();
    });
    await db.destroy();
    expect(state).toBe("failed");
    expect(thrown).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("had already ended"),
    });
  });

  inSchema("refuses a transaction of Knex whose connection another one has", async (schema) => {
    const db = knex({ client: "pg", connection: DATABASE_URL, pool: { min: 0, max: 1 } });
    const pool = new Pool({ connectionString: DATABASE_URL });
    const backend = createPostgresBackend({ pool, transactions: fromKnex(db), schema });
    const service = createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });
    const [orders] = service.definitions;
    const ended = await db.transaction(async (tx) => tx);
    const order = { itemId: "book", quantity: 1 };
    await db.transaction(async () => {
      const submitted = service.submit(orders, order, { tenant: "demo", tx: ended });
      await expect(submitted).rejects.toMatchObject({ code: "INVALID_OPTION" });
    });
    await backend.close();
    await Promise.all([db.destroy(), pool.end()]);
  });

  inSchema("refuses a transaction of TypeORM whose connection another one has", async (schema) => {
    const dataSource = await new DataSource({
      type: "postgres",
      url: DATABASE_URL,
      poolSize: 1,
    }).initialize();
    const pool = new Pool({ connectionString: DATABASE_URL });
    const backend = createPostgresBackend({ pool, transactions: fromTypeOrm(dataSource), schema });
    const service = createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });
    const [orders] = service.definitions;
    const ended = await dataSource.transaction(async (tx) => tx);
    const order = { itemId: "book", quantity: 1 };
    await dataSource.transaction(async () => {
      const submitted = service.submit(orders, order, { tenant: "demo", tx: ended });
      await expect(submitted).rejects.toMatchObject({ code: "INVALID_OPTION" });
    });
    await backend.close();
    await Promise.all([dataSource.destroy(), pool.end()]);
  });

  inSchema("shows loggers of TypeORM no statement of its own", async (schema) => {
    const logged: string[] = [];
    const logger = {
      logQuery: (query: string) => logged.push(query),
      logQueryError: () => {},
      logQuerySlow: () => {},
      logSchemaBuild: () => {},
      logMigration: () => {},
      log: () => {},
    };
    const dataSource = await new DataSource({ type: "postgres", url: DATABASE_URL, logger }).initialize();
    logged.length = 0;
    const { state } = await work(schema, fromTypeOrm(dataSource), async (tx) => {
      await tx.query("select 1");
    });
    await dataSource.destroy();
    expect(state).toBe("completed");
    expect(logged).toEqual(["START TRANSACTION", "select 1", "COMMIT"]);
  });

  inSchema("writes what MikroORM has not flushed, and keeps no entities", async (schema) => {
    await server.pool.query(`create schema "${schema}"; create table "${schema}".effects (id text)`);
    const Effect = new MikroEntity<{ id: string }>({
      name: "Effect",
      tableName: "effects",
      schema,
      properties: { id: { type: "string", primary: true } },
    });
    const orm = await MikroORM.init({ clientUrl: DATABASE_URL, entities: [Effect], logger: () => {} });
    const em = orm.em.fork();
    const { state } = await work(schema, fromMikroOrm(em), async (tx) => {
      tx.create(Effect, { id: "one" });
    });
    const kept = em.getUnitOfWork().getIdentityMap().keys();
    await orm.close();
    expect(state).toBe("completed");
    expect(kept).toEqual([]);
    expect((await server.pool.query(`select id from "${schema}".effects`)).rows).toEqual([{ id: "one" }]);
  });
});
