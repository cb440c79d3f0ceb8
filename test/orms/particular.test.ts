import { EntitySchema as MikroEntity, MikroORM } from "@mikro-orm/postgresql";
import {
  allowAnonymous,
  createOrderService,
  createWorker,
  type Job,
  type Order,
  type OrderDefinition,
  type Service,
} from "async-request-reply";
import {
  createPostgresBackend,
  fromKnex,
  fromMikroOrm,
  fromTypeOrm,
  type PostgresBackend,
  type SqlTransactions,
} from "async-request-reply/postgres";
import knex from "knex";
import { Pool } from "pg";
import { DataSource } from "typeorm";
import { expect, it } from "vitest";
import { describePostgres } from "../support/postgres/server.js";
import { DATABASE_URL, newName } from "./database.js";

const ORDER = { itemId: "book", quantity: 1 };

await describePostgres("particular libraries", (server) => {
  /** Opens a service whose back end uses transactions of a library. */
  async function withService<Tx, Result>(
    schema: string,
    transactions: SqlTransactions<Tx>,
    run: (service: Service<readonly [OrderDefinition], Tx>, backend: PostgresBackend<Tx>) => Promise<Result>,
  ): Promise<Result> {
    const pool = new Pool({ connectionString: DATABASE_URL });
    const backend = createPostgresBackend({ pool, transactions, schema });
    try {
      return await run(
        createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} }),
        backend,
      );
    } finally {
      await backend.close();
      await pool.end();
    }
  }

  /** Submits an order, makes one attempt, and returns the state of its operation and what the attempt threw. */
  const work = <Tx>(schema: string, transactions: SqlTransactions<Tx>, run: (tx: Tx) => Promise<void>) =>
    withService(schema, transactions, async (service, backend) => {
      let thrown: unknown;
      const process = (_: Order, job: Job<unknown, Tx>) =>
        job
          .transaction((tx) => run(tx as Tx))
          .catch((error: unknown) => {
            thrown = error;
            throw error;
          });
      const worker = createWorker(service, { orders: process as never }, { maxAttempts: 1 });
      const { operationId } = await service.submit(service.definitions[0], ORDER, { tenant: "demo" });
      await worker.runUntilIdle();
      return { state: (await backend.operations.get(operationId, "demo"))?.state, thrown };
    });

  const inSchema = (name: string, run: (schema: string) => Promise<void>): void => {
    it(name, async () => {
      const schema = newName();
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

  /** Checks that a transaction is refused that has ended, and whose only connection another one uses. */
  const expectRefusal = <Tx>(
    schema: string,
    transactions: SqlTransactions<Tx>,
    begin: (run: (tx: Tx) => Promise<void>) => Promise<void>,
  ): Promise<void> =>
    withService(schema, transactions, async (service) => {
      let ended: Tx | undefined;
      await begin(async (tx) => {
        ended = tx;
      });
      await begin(async () => {
        const options = { tenant: "demo", tx: ended } as never;
        const submitted = service.submit(service.definitions[0], ORDER, options);
        await expect(submitted).rejects.toMatchObject({ code: "INVALID_OPTION" });
      });
    });

  inSchema("refuses a transaction of Knex whose connection another one has", async (schema) => {
    const db = knex({ client: "pg", connection: DATABASE_URL, pool: { min: 0, max: 1 } });
    await expectRefusal(schema, fromKnex(db), (run) => db.transaction(run));
    await db.destroy();
  });

  inSchema("refuses a transaction of TypeORM whose connection another one has", async (schema) => {
    const options = { type: "postgres", url: DATABASE_URL, poolSize: 1 } as const;
    const dataSource = await new DataSource(options).initialize();
    await expectRefusal(schema, fromTypeOrm(dataSource), (run) => dataSource.transaction(run));
    await dataSource.destroy();
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
