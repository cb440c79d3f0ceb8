import { allowAnonymous, createOrderService, type HttpResponse } from "async-request-reply";
import type { RecordResult } from "async-request-reply/ports";
import {
  createPostgresBackend,
  type PostgresBackendOptions,
  type SqlPool,
} from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { expect, it, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";
import { countStatements, interceptStatements, RECORD } from "./intercepted-statements.js";
import { poolOf } from "./pool-of.js";
import { newSubmission } from "./submissions.js";
import { inTransaction } from "./user-transaction.js";

type Options = Partial<PostgresBackendOptions<PoolClient>>;

await describePostgres("a key that another transaction holds", (server) => {
  /** Creates an order service on a separate back end, like another process. */
  function processOn(schema: string, options: Options = {}) {
    const pool: Options["pool"] = options.pool ?? server.pool;
    const backend = createPostgresBackend({ ...options, pool, schema, listen: false });
    const service = createOrderService({ backend, authorize: allowAnonymous() });
    const submit = (key: string) =>
      service.handle({
        method: "POST",
        path: "/orders",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: '{"itemId":"book","quantity":1}',
      });
    return { backend, service, submit };
  }

  async function migratedSchema() {
    const { schema, migrate } = server.open();
    await migrate();
    return schema;
  }

  /** Runs a function while a transaction of the user holds a key. Rolls that transaction back afterwards. */
  function whileHeld<T>(schema: string, key: string, run: () => Promise<T>): Promise<T> {
    const { service } = processOn(schema);
    const order = { itemId: "pen", quantity: 1 };
    return inTransaction(server.pool, async (tx) => {
      await service.submit(service.definitions[0], order, { tx, tenant: "anonymous", key });
      return run();
    });
  }

  /** Creates a pool whose recordings commit when `commit` resolves. */
  function slowlyCommitting(onRecorded: () => void, commit: Promise<void>): SqlPool<PoolClient> {
    return poolOf(async () => {
      const client = await server.pool.connect();
      const query = async (statement: { readonly text: string }) => {
        if (!RECORD.test(statement.text)) return client.query(statement);
        await client.query("begin");
        const result = await client.query(statement);
        onRecorded();
        await commit;
        await client.query("commit");
        return result;
      };
      return { query, release: (destroy?: boolean) => client.release(destroy) } as unknown as PoolClient;
    });
  }

  it("is waited for if its commit is slow, so that both requests get one operation", async () => {
    const schema = await migratedSchema();
    const [recorded, commit] = [signalOf(), signalOf()];
    const slow = processOn(schema, { pool: slowlyCommitting(recorded.resolve, commit.promise) });
    const { pool, seen } = countStatements(server.pool, RECORD);
    const first = slow.submit("k");
    await recorded.promise;
    const second = processOn(schema, { pool }).submit("k");
    try {
      // The second request has waited for the row, left its batch and retried twice.
      await vi.waitUntil(() => seen.count >= 4);
    } finally {
      commit.resolve();
    }
    const replies = await Promise.all([first, second]);
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    expect(replies[1]?.headers.location).toBe(replies[0]?.headers.location);
    expect(replies.map(({ headers }) => headers["idempotent-replayed"])).toEqual([undefined, "true"]);
  });

  it("leads to a 409 with Retry-After after a second, and is free once that transaction is rolled back", async () => {
    const schema = await migratedSchema();
    const { submit } = processOn(schema);
    const begun = performance.now();
    const refused = await whileHeld(schema, "k", () => submit("k"));
    expect(performance.now() - begun).toBeGreaterThan(1_000);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([409, "1"]);
    expect(String(refused.body)).toContain("#submission-in-progress");
    const retried = await submit("k");
    expect([retried.status, retried.headers["idempotent-replayed"]]).toEqual([202, undefined]);
  });

  it("does not delay other submissions in the same batch or later ones", async () => {
    const schema = await migratedSchema();
    const { submit } = processOn(schema, { maxBatch: 8, maxInFlight: 1 });
    const { waiting } = await whileHeld(schema, "held", async () => {
      const waiting = submit("held");
      for (const round of [1, 2]) {
        const keys = Array.from({ length: 12 }, (_, index) => `${round}-${index}`);
        const statuses = (await Promise.all(keys.map(submit))).map(({ status }) => status);
        expect(statuses).toEqual(keys.map(() => 202));
      }
      return { waiting };
    });
    expect((await waiting).status).toBe(202);
  });

  it("leads to an immediate 409 if maxWaiting requests are waiting for it", async () => {
    const schema = await migratedSchema();
    const { submit } = processOn(schema, { maxWaiting: 2 });
    const { waiting } = await whileHeld(schema, "k", async () => {
      let waiting: readonly Promise<HttpResponse>[] = [];
      // They wait for a second, in which a busy machine cannot always answer a third one.
      await vi.waitUntil(async () => {
        await Promise.all(waiting);
        let left = 2;
        waiting = [1, 2].map(() => submit("k").finally(() => left--));
        await vi.waitUntil(async () => left < 2 || (await submit("k")).status === 409);
        return left === 2;
      });
      return { waiting };
    });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([202, 202]);
  });

  it("is one operation for all requests in a batch, if it becomes free while they wait for it", async () => {
    const schema = await migratedSchema();
    const released = signalOf();
    let rolledBack: Promise<unknown> = Promise.resolve();
    const pool = interceptStatements(server.pool, async (statement, run) => {
      // The first call has given up waiting for the lock by then.
      if (/^select .*record_each_v1\(/.test(statement.text)) {
        released.resolve();
        await rolledBack;
      }
      return run();
    });
    const { submissions } = processOn(schema, { pool }).backend;
    const record = () => submissions.record(newSubmission({ tenant: "anonymous", key: "k" }));
    let recording: Promise<readonly RecordResult[]> = Promise.resolve([]);
    rolledBack = whileHeld(schema, "k", async () => {
      recording = Promise.all([record(), record(), record()]);
      await released.promise;
    });
    await rolledBack;
    const outcomes = (await recording).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(["created", "exists", "exists"]);
  });

  it("is tried once at a time for any number of requests", async () => {
    const schema = await migratedSchema();
    const { pool, seen } = countStatements(server.pool, RECORD);
    const { submit } = processOn(schema, { pool });
    const { waiting } = await whileHeld(schema, "k", async () => {
      const all = Array.from({ length: 200 }, () => submit("k"));
      await vi.waitUntil(() => seen.count >= 5);
      return { waiting: Promise.all(all) };
    });
    const replies = await waiting;
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(replies.map(({ headers }) => headers.location)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers["idempotent-replayed"] === undefined)).toHaveLength(1);
    expect(seen.count).toBeLessThan(30);
  });
});
