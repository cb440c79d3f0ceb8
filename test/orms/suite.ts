import {
  allowAnonymous,
  type CreateContext,
  type CreatedResource,
  createOrderService,
  createWorker,
  type Job,
  type Order,
  type OrderDefinition,
  type Service,
  type Submitted,
} from "async-request-reply";
import type { IsolationLevel } from "async-request-reply/ports";
import * as bridges from "async-request-reply/postgres";
import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { describePostgres } from "../support/postgres/server.js";
import { createDatabase, DATABASE_URL, newName } from "./database.js";
import type { OpenLibrary, OrmLibrary } from "./library.js";

type OrderService = Service<readonly [OrderDefinition], unknown>;
type Create = (order: Order, context: CreateContext<unknown>) => Promise<CreatedResource>;
type Process = (order: Order, job: Job<unknown, unknown>) => unknown;

const TENANT = "anonymous";
const ORDER: Order = { itemId: "book", quantity: 1 };

/** Declares what holds for the transactions of every library. */
export async function describeLibrary({ name, open }: OrmLibrary): Promise<void> {
  await describePostgres(`transactions of ${name}`, (server) => {
    let orm: OpenLibrary;
    let schema: string;
    let backend: PostgresBackend<unknown>;
    beforeAll(async () => {
      orm = await open(DATABASE_URL, bridges);
      schema = newName();
      const { pool, transactions } = orm;
      backend = createPostgresBackend({ pool, transactions, schema });
      await backend.migrate();
      await server.pool.query(`create table "${schema}".effects (id text)`);
    });
    afterAll(async () => {
      await backend?.close();
      await orm?.close();
      await server.pool.query(`drop schema if exists "${schema}" cascade`);
    });

    const write = (tx: unknown, id: string): Promise<unknown> =>
      orm.run(tx, `insert into "${schema}".effects values ('${id}')`);
    const hasEffect = async (id: string): Promise<boolean> => {
      const { rowCount } = await server.pool.query(`select from "${schema}".effects where id = $1`, [id]);
      return rowCount === 1;
    };
    const stateOf = async (id: string): Promise<string | undefined> =>
      (await backend.operations.get(id, TENANT))?.state;
    /** Returns the state of an operation, if it exists, and whether its row does. */
    const outcomeOf = async (id: string) => [await stateOf(id), await hasEffect(id)];

    function serviceOf(create?: Create): OrderService {
      const created = create === undefined ? {} : { create };
      return createOrderService({ backend, authorize: allowAnonymous(), observe: () => {}, ...created });
    }
    /** Submits an order in a transaction. */
    function submit(tx: unknown, key: { key?: string } = {}, service = serviceOf()): Promise<Submitted> {
      return service.submit(service.definitions[0], ORDER, { tenant: TENANT, tx, ...key });
    }
    /** Submits an order, runs it to its end, and returns its id. */
    async function work(process: Process, limits: { attemptTimeoutMs?: number } = {}): Promise<string> {
      const service = serviceOf();
      const { operationId } = await service.submit(service.definitions[0], ORDER, { tenant: TENANT });
      const options = { maxAttempts: 2, backoff: { baseMs: 1, maxMs: 1 }, ...limits };
      const worker = createWorker(service, { orders: process as never }, options);
      await worker.start();
      try {
        const read = () => backend.operations.get(operationId, TENANT);
        await vi.waitUntil(async () => (await read())?.settledAt !== undefined);
      } finally {
        await worker.stop();
      }
      return operationId;
    }
    const rollBack = new Error("roll back");

    it("commits a submission together with rows", async () => {
      const { operationId } = await orm.begin(async (tx) => {
        const submitted = await submit(tx);
        await write(tx, submitted.operationId);
        expect(await stateOf(submitted.operationId)).toBeUndefined();
        return submitted;
      });
      expect(await outcomeOf(operationId)).toEqual(["pending", true]);
    });

    it("rolls back a submission together with rows", async () => {
      let id = "";
      const rolledBack = orm.begin(async (tx) => {
        id = (await submit(tx)).operationId;
        await write(tx, id);
        throw rollBack;
      });
      await expect(rolledBack).rejects.toThrow("roll back");
      expect(await outcomeOf(id)).toEqual([undefined, false]);
    });

    it("commits a list of submissions together", async () => {
      const service = serviceOf();
      const [definition] = service.definitions;
      const results = await orm.begin((tx) =>
        service.submitMany(definition, [{ input: ORDER }, { input: ORDER }], { tenant: TENANT, tx }),
      );
      expect(results).toHaveLength(2);
    });

    it("completes an operation together with rows", async () => {
      const id = await work((_, job) =>
        job.transaction((tx) => write(tx, job.operationId).then(() => "done")),
      );
      expect(await outcomeOf(id)).toEqual(["completed", true]);
    });

    it("rolls back the rows of an attempt that throws", async () => {
      const id = await work((_, job) =>
        job.transaction(async (tx) => {
          await write(tx, job.operationId);
          throw rollBack;
        }),
      );
      expect(await outcomeOf(id)).toEqual(["failed", false]);
    });

    it("rethrows errors of statements as the library throws them", async () => {
      let thrown: unknown;
      let rethrown: unknown;
      await work((_, job) =>
        job
          .transaction((tx) =>
            orm.run(tx, "select 1 / 0").catch((error: unknown) => {
              thrown = error;
              throw error;
            }),
          )
          .catch((error: unknown) => {
            rethrown = error;
          }),
      );
      expect(thrown).toBeInstanceOf(Error);
      expect(rethrown).toBe(thrown);
    });

    it.each<IsolationLevel>(["read committed", "repeatable read", "serializable"])(
      "begins at %s if asked to",
      async (isolation) => {
        let rows: unknown;
        await work((_, job) =>
          job.transaction(
            async (tx) => {
              rows = await orm.run(tx, "select current_setting('transaction_isolation') as level");
            },
            { isolation },
          ),
        );
        expect(rows).toMatchObject([{ level: isolation }]);
      },
    );

    it("creates a resource in the transaction that records the operation", async () => {
      const service = serviceOf(async (_, { tx, operationId }) => {
        await write(tx, operationId);
        return { body: { operationId } };
      });
      const { operationId } = await service.submit(service.definitions[0], ORDER, { tenant: TENANT });
      expect(await outcomeOf(operationId)).toEqual(["pending", true]);
    });

    it("keeps a transaction usable after a failed creation, without its rows", async () => {
      let created = "";
      const service = serviceOf(async (_, { tx, operationId }) => {
        created = operationId;
        await write(tx, operationId);
        throw new Error("the warehouse is closed");
      });
      await orm.begin(async (tx) => {
        await expect(submit(tx, {}, service)).rejects.toThrow("the warehouse is closed");
        await write(tx, `after ${created}`);
      });
      expect(await outcomeOf(created)).toEqual([undefined, false]);
      expect(await hasEffect(`after ${created}`)).toBe(true);
    });

    it("holds a key until the transaction ends, and then replays it", async () => {
      const key = newName();
      const first = await orm.begin(async (one) => {
        const submitted = await submit(one, { key });
        const second = orm.begin((other) => submit(other, { key }));
        await expect(second).rejects.toMatchObject({ code: "SUBMISSION_IN_PROGRESS" });
        return submitted;
      });
      const again = await orm.begin((tx) => submit(tx, { key }));
      expect(again).toEqual({ ...first, replayed: true });
    });

    it("tells of a serialization failure by its SQLSTATE", async () => {
      const key = newName();
      const late = orm.begin(async (tx) => {
        await orm.run(tx, "set transaction isolation level repeatable read");
        await orm.run(tx, "select 1");
        await orm.begin((other) => submit(other, { key }));
        await submit(tx, { key });
      });
      await expect(late).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", cause: { code: "40001" } });
    });

    it("records nothing in a nested transaction that is rolled back", async ({ skip }) => {
      const { nest } = orm;
      if (nest === undefined) return skip("no nested transactions");
      const ids = await orm.begin(async (tx) => {
        const outer = await submit(tx);
        let id = "";
        const nested = nest(tx, async (inner) => {
          id = (await submit(inner)).operationId;
          throw rollBack;
        });
        await expect(nested).rejects.toThrow("roll back");
        const kept = await nest(tx, (inner) => submit(inner));
        return [outer.operationId, id, kept.operationId];
      });
      expect(await Promise.all(ids.map(stateOf))).toEqual(["pending", undefined, "pending"]);
    });

    it.for<[string, () => unknown]>([
      ["was released", () => {}],
      ["was rolled back", () => Promise.reject(rollBack)],
    ])("refuses a nested transaction that %s, or records in the one around it", async ([, end], { skip }) => {
      const { nest, knowsEndedNests = false } = orm;
      if (nest === undefined) return skip("no nested transactions");
      const submitInEnded = async (tx: unknown): Promise<string> => {
        let ended: unknown;
        await nest(tx, async (inner) => {
          ended = inner;
          await end();
        }).catch(() => {});
        return (await submit(ended)).operationId;
      };
      if (knowsEndedNests)
        return expect(orm.begin(submitInEnded)).rejects.toMatchObject({ code: "INVALID_OPTION" });
      let undone = "";
      const rolledBack = orm.begin(async (tx) => {
        undone = await submitInEnded(tx);
        throw rollBack;
      });
      await expect(rolledBack).rejects.toThrow("roll back");
      const kept = await orm.begin(submitInEnded);
      expect([await stateOf(kept), await stateOf(undone)]).toEqual(["pending", undefined]);
    });

    it("refuses transactions of another database with the same schema, and records nothing there", async () => {
      const database = await createDatabase(server.pool);
      const other = await open(database.url.href, bridges);
      const elsewhere = createPostgresBackend({ pool: other.pool, schema });
      const mixed = createPostgresBackend({ pool: orm.pool, transactions: other.transactions, schema });
      try {
        await elsewhere.check();
        await backend.check();
        const submitted = other.begin((tx) => submit(tx));
        await expect(submitted).rejects.toMatchObject({
          code: "INVALID_OPTION",
          message: expect.stringContaining(`another database, "${database.name}"`),
        });
        const mistake = {
          code: "INVALID_OPTION",
          message: expect.stringContaining(`begins transactions in the database "${database.name}"`),
        };
        const create = async () => ({ body: {} });
        const creating = createOrderService({ backend: mixed, authorize: allowAnonymous(), create });
        const created = creating.submit(creating.definitions[0], ORDER, { tenant: TENANT });
        await expect(created).rejects.toMatchObject(mistake);
        await expect(mixed.check()).rejects.toMatchObject(mistake);
        expect(await elsewhere.operations.list({ limit: 1 })).toEqual([]);
      } finally {
        await Promise.all([elsewhere.close(), mixed.close()]);
        await other.close();
        await database.remove();
      }
    });

    it("refuses a transaction that has ended", async () => {
      const ended = await orm.begin(async (tx) => tx);
      const count = async () => (await server.pool.query(`select count(*) from "${schema}".operations`)).rows;
      const before = await count();
      await expect(submit(ended)).rejects.toMatchObject({ code: "INVALID_OPTION" });
      expect(await count()).toEqual(before);
    });

    it.each<[string, () => unknown]>([
      ["the database object", () => orm.db],
      ["the pool", () => orm.pool],
      ["a client of pg", () => ({ query: () => Promise.resolve({ rows: [] }) })],
      ["nothing", () => null],
      ["a text", () => "tx"],
    ])("refuses %s as `tx` with a sentence", async (_, toTx) => {
      const thrown: unknown = await submit(toTx()).catch((error: unknown) => error);
      expect(thrown).toMatchObject({
        code: "INVALID_OPTION",
        message: expect.stringMatching(/^INVALID_OPTION: Option `tx` .*(Pass|must be) the `\w+` (of|that) /),
      });
    });

    /** Works until its time limit, and lets `goOn` write afterwards. Returns the id of the operation. */
    async function workTooLong(
      attemptTimeoutMs: number,
      goOn: (tx: unknown, id: string) => Promise<unknown>,
    ) {
      let late: Promise<unknown> | undefined;
      const process: Process = (_, job) =>
        job.transaction(async (tx) => {
          await write(tx, job.operationId);
          late = goOn(tx, job.operationId).then(() => write(tx, `late ${job.operationId}`));
          await late;
        });
      const id = await work(process, { attemptTimeoutMs });
      await expect(late).rejects.toThrow();
      expect(await outcomeOf(id)).toEqual(["failed", false]);
      expect(await hasEffect(`late ${id}`)).toBe(false);
    }

    it("ends a transaction whose attempt runs into its time limit, though a statement runs", () =>
      workTooLong(500, (tx) => orm.run(tx, "select pg_sleep(60)")));

    it("writes nothing of a function that goes on after its time limit", () =>
      workTooLong(200, (_, id) => vi.waitUntil(async () => (await stateOf(id)) === "failed")));

    it("survives a connection that is lost in a transaction", async ({ skip }) => {
      if (orm.defect !== undefined) return skip(orm.defect);
      const id = await work((_, job) =>
        job.transaction(async (tx) => {
          await write(tx, job.operationId);
          if (job.attempt > 1) return "done";
          const [row] = await orm.run(tx, "select pg_backend_pid() as pid");
          await server.pool.query("select pg_terminate_backend($1)", [row?.pid]);
          return write(tx, "lost");
        }),
      );
      expect(await outcomeOf(id)).toEqual(["completed", true]);
    });

    it("can be the first use of the back end", async () => {
      const fresh = `${schema}_fresh`;
      const { pool, transactions } = orm;
      const unused = createPostgresBackend({ pool, transactions, schema: fresh });
      const service = createOrderService({ backend: unused, authorize: allowAnonymous() });
      try {
        const { operationId } = await orm.begin((tx) => submit(tx, {}, service));
        expect((await unused.operations.get(operationId, TENANT))?.state).toBe("pending");
      } finally {
        await unused.close();
        await server.pool.query(`drop schema if exists "${fresh}" cascade`);
      }
    });
  });
}
