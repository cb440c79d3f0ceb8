import { allowAnonymous, createOrderService, type OrderDefinition, type Service } from "async-request-reply";
import type { PostgresBackend } from "async-request-reply/postgres";
import { Client, type PoolClient } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { createTransactionStage, ORDER, TENANT, type TransactionStage } from "./transaction-stage.js";
import { endingWith, inTransaction } from "./user-transaction.js";

type OrderService = Service<readonly [OrderDefinition], PoolClient>;

const submitIn = (service: OrderService, tx: PoolClient, key?: string) =>
  service.submit(service.definitions[0], ORDER, {
    tenant: TENANT,
    tx,
    ...(key === undefined ? {} : { key }),
  });

await describePostgres("the transaction that a submission is given", (server) => {
  type OwnClient = PoolClient & Pick<Client, "end">;

  /** Creates a client that belongs to no pool. */
  const newClient = (): OwnClient => new Client(server.pool.options) as Client & Pick<PoolClient, "release">;

  async function withClient(run: (client: PoolClient) => Promise<void>) {
    const client = await server.pool.connect();
    try {
      await run(client);
    } finally {
      await client.query("rollback");
      client.release();
    }
  }

  const before: readonly (readonly [string, (client: PoolClient) => Promise<unknown>])[] = [
    ["was never begun", async () => {}],
    ["has been committed", (client) => client.query("begin").then(() => client.query("commit"))],
    ["has been rolled back", (client) => client.query("begin").then(() => client.query("rollback"))],
  ];
  const submissions: readonly (readonly [string, (stage: TransactionStage, tx: PoolClient) => unknown])[] = [
    ["an operation", ({ service }, tx) => submitIn(service, tx)],
    ["an operation with a key", ({ service }, tx) => submitIn(service, tx, "k")],
    [
      "a list",
      ({ service }, tx) =>
        service.submitMany(service.definitions[0], [{ input: ORDER }, { input: ORDER }], {
          tenant: TENANT,
          tx,
        }),
    ],
    [
      "an operation with a resource",
      ({ backend }, tx) => {
        const create = () => ({ body: {} });
        return submitIn(createOrderService({ backend, authorize: allowAnonymous(), create }), tx, "k");
      },
    ],
  ];
  it.each(
    before.flatMap(([state, prepare]) => submissions.map((each) => [state, ...each, prepare] as const)),
  )("is refused if it %s, and nothing of %s is recorded", async (_state, _what, submit, prepare) => {
    const stage = await createTransactionStage(server);
    await withClient(async (client) => {
      await prepare(client);
      await expect(submit(stage, client)).rejects.toMatchObject({
        code: "INVALID_OPTION",
        detail:
          "Option `tx` is not in a transaction: it has ended, or was never begun. Begin one, and submit before you end it.",
      });
      expect(await stage.operations()).toEqual([]);
      // The connection can go on.
      await client.query("begin");
      await submitIn(stage.service, client);
      await client.query("commit");
    });
    expect(await stage.operations()).toHaveLength(1);
  });

  it.each<[string, (tx: PoolClient) => Promise<unknown>]>([
    ["has just been begun", (tx) => tx.query("begin")],
    [
      "is begun without waiting for the answer",
      async (tx) => {
        tx.query("begin").catch(() => {});
      },
    ],
    ["checks constraints at once", (tx) => tx.query("begin; set constraints all immediate")],
    ["has a savepoint", (tx) => tx.query("begin; savepoint one")],
    ["was begun in the middle of a text", (tx) => tx.query("select 1; begin; select 1")],
    ["is serializable", (tx) => tx.query("begin isolation level serializable")],
    ["follows another", (tx) => tx.query("begin; select 1; commit and chain")],
  ])("is accepted if it %s", async (_, begin) => {
    const stage = await createTransactionStage(server);
    await withClient(async (tx) => {
      for (let count = 0; count < 20; count += 1) {
        await begin(tx);
        await submitIn(stage.service, tx);
        await submitIn(stage.service, tx, `k-${count}`);
        await tx.query("commit");
      }
    });
    expect(await stage.operations()).toHaveLength(40);
  });

  it.each(submissions)(
    "is refused at once for %s if it is a client that was never connected",
    async (_, submit) => {
      const stage = await createTransactionStage(server, { backend: { statementTimeoutMs: 3_600_000 } });
      await expect(submit(stage, newClient())).rejects.toMatchObject({
        code: "INVALID_OPTION",
        detail:
          "Option `tx` is a `Client` of `pg` that was never connected. Call `await tx.connect()`, and then begin a transaction with " +
          '`await tx.query("begin")`.',
      });
    },
  );

  it("is accepted on a client that is still connecting", async () => {
    const stage = await createTransactionStage(server);
    const client = newClient();
    const connected = client.connect();
    const begun = client.query("begin");
    await submitIn(stage.service, client);
    await Promise.all([connected, begun, client.query("commit")]);
    await client.end();
    expect(await stage.operations()).toHaveLength(1);
  });

  it("is not called one of a client that was never connected after its connection has ended", async () => {
    const stage = await createTransactionStage(server);
    const client = newClient();
    await client.connect();
    await client.query("begin");
    await client.end();
    await expect(submitIn(stage.service, client)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  /** Creates a second database on the same server, for one test. */
  async function otherDatabase() {
    const database = server.newSchema();
    await server.pool.query(`create database ${database}`);
    const { host, port, user, password } = new Client(server.pool.options);
    const pool = openPool({ connectionString: undefined, host, port, user, password, database } as never);
    onTestFinished(async () => {
      await pool.end();
      await server.pool.query(`drop database ${database}`);
    });
    return { pool, database };
  }

  const serviceOf = (backend: PostgresBackend<PoolClient>): OrderService =>
    createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });

  it.each<[string, (backend: PostgresBackend<PoolClient>) => Promise<unknown>]>([
    ["a check", (backend) => backend.check()],
    ["any use", (backend) => backend.operations.get("00000000-0000-7000-8000-000000000001", TENANT)],
  ])("is refused after %s if it is one of another database with the same schema", async (_, use) => {
    const { pool, database } = await otherDatabase();
    const backend = server.openOwn();
    const { schema } = backend;
    const elsewhere = server.openOwn({ pool, schema });
    await elsewhere.migrate();
    await use(backend);
    const service = serviceOf(backend);
    const [own] = (await server.pool.query("select current_database() as name")).rows;
    await endingWith("commit", pool, async (tx) => {
      const submitList = () =>
        service.submitMany(service.definitions[0], [{ input: ORDER }], { tenant: TENANT, tx });
      for (const submit of [() => submitIn(service, tx), submitList])
        await expect(submit()).rejects.toMatchObject({
          code: "INVALID_OPTION",
          detail:
            `Option \`tx\` is a transaction of another database, "${database}", where no worker of this back end looks. ` +
            `Pass a transaction of "${own.name}", the database of \`pool\`, or create a back end for "${database}".`,
        });
      // The refusal leaves the transaction usable.
      await submitIn(serviceOf(elsewhere), tx);
    });
    const recorded = await Promise.all(
      [backend, elsewhere].map(({ operations }) => operations.list({ limit: 9 })),
    );
    expect(recorded.map((list) => list?.length)).toEqual([0, 1]);
    await Promise.all([backend.close(), elsewhere.close()]);
  });

  it("is refused if it is one of a database without the schema", async () => {
    const { pool } = await otherDatabase();
    const backend = server.openOwn();
    await backend.migrate();
    const service = serviceOf(backend);
    await service.submit(service.definitions[0], ORDER, { tenant: TENANT });
    await inTransaction(pool, (tx) =>
      expect(submitIn(service, tx)).rejects.toMatchObject({
        code: "INVALID_OPTION",
        detail:
          "Option `tx` is a transaction of a database that lacks the schema of this back end. Pass a transaction of the database of `pool`.",
      }),
    );
    await backend.close();
  });

  it("says that it must be rolled back if an earlier statement of it has failed", async () => {
    const backend = server.openOwn();
    await inTransaction(server.pool, async (tx) => {
      await expect(tx.query("select 1 / 0")).rejects.toThrow("division by zero");
      await expect(submitIn(serviceOf(backend), tx)).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        detail: "An earlier statement of the transaction failed. Roll it back, and run all of it again.",
      });
    });
    await backend.close();
  });

  it("is accepted after the schema was created again", async () => {
    const backend = server.openOwn();
    await backend.check();
    await server.pool.query(`drop schema "${backend.schema}" cascade`);
    await backend.migrate();
    await endingWith("commit", server.pool, (tx) => submitIn(serviceOf(backend), tx));
    expect(await backend.operations.list({ limit: 9 })).toHaveLength(1);
    await backend.close();
  });
});
