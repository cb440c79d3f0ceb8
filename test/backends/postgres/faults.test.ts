import type { NewOperation, Submission } from "async-request-reply/ports";
import { createPostgresBackend, type PostgresBackend, type SqlStatement } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOne } from "../../support/claims.js";
import { describePostgres, openPool, openPoolAt, portOfServer } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";

const { newId, newToken } = createSystemRuntime();

function submission(members: Partial<NewOperation> = {}): Submission {
  return {
    operation: { id: newId(), tenant: "a", definition: "d", input: "1", retentionMs: 60_000, ...members },
    fingerprint: "1:a",
  };
}

/** Creates a pool that loses one answer: the statement takes effect, but the caller gets a connection error. */
function losingOneAnswer(pool: Pool, isLost: (statement: SqlStatement) => boolean) {
  let lost = 0;
  const losing = interceptStatements(pool, async (statement, run) => {
    const result = await run();
    if (isLost(statement) && lost++ === 0) throw new Error("Connection terminated unexpectedly");
    return result;
  });
  return { pool: losing, repeated: () => lost > 1 };
}

await describePostgres("a Postgres back end in trouble", (server) => {
  it("records one operation if the answer to the commit is lost", async () => {
    const { pool, repeated } = losingOneAnswer(server.pool, ({ text }) =>
      /^select .*record_\w+\(/.test(text),
    );
    const backend = createPostgresBackend({ pool, schema: server.newSchema() });
    const given = submission({ key: "k" });
    expect(await backend.submissions.record(given)).toEqual({ outcome: "created" });
    expect((await backend.operations.list({ limit: 10 })).map(({ id }) => id)).toEqual([given.operation.id]);
    expect(repeated()).toBe(true);
  });

  it("settles once if the answer is lost", async () => {
    const { pool, repeated } = losingOneAnswer(server.pool, ({ text }) =>
      /^select .*settle_\w+\(/.test(text),
    );
    const backend = createPostgresBackend({ pool, schema: server.newSchema() });
    const { operation } = submission();
    await backend.operations.create(operation);
    const token = newToken();
    await claimOne(backend.operations, operation.id, { token, leaseMs: 60_000 });
    const settled = await backend.operations.settle(
      { operationId: operation.id, token },
      { to: "completed" },
    );
    expect(settled).toEqual({ outcome: "settled", state: "completed" });
    expect(repeated()).toBe(true);
  });

  it("records the other rows of a batch when an open transaction holds a key, and retries that key", async () => {
    const backend = server.open();
    await backend.migrate();
    const held = submission({ key: "held" });
    const client = await server.pool.connect();
    try {
      await client.query("begin");
      const columns =
        "id, tenant, definition, key, bound, fingerprint, state, input, retention_ms, created_at";
      const values = [newId(), "a", "d", "held"];
      await client.query(
        `insert into ${backend.schema}.operations (${columns}) values ($1, $2, $3, $4, true, '1:a', 'pending', '1', 60000, now())`,
        values,
      );
      const others = Array.from({ length: 20 }, (_, index) => submission({ key: `k${index}` }));
      const answers = await Promise.allSettled(
        [held, ...others].map((each) => backend.submissions.record(each)),
      );
      expect(answers[0]).toMatchObject({ status: "rejected", reason: { code: "SUBMISSION_IN_PROGRESS" } });
      expect(answers.slice(1).every(({ status }) => status === "fulfilled")).toBe(true);
      expect(await backend.operations.list({ limit: 100 })).toHaveLength(20);
    } finally {
      await client.query("rollback");
      client.release();
    }
    expect(await backend.submissions.record(held)).toEqual({ outcome: "created" });
  });

  it.each([
    ["a tenant too long for the index", { tenant: newLongText() }],
    ["a character that Postgres cannot store", { tenant: "a\u0000b" }],
  ])("records the other rows of a batch next to %s", async (_, members) => {
    const backend = server.open();
    const given = [submission({ key: "1" }), submission({ key: "2", ...members }), submission({ key: "3" })];
    const answers = await Promise.allSettled(given.map((each) => backend.submissions.record(each)));
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(answers[1]).toMatchObject({
      reason: { code: "INTERNAL", detail: "The database cannot store this data." },
    });
    expect(await backend.operations.list({ limit: 100 })).toHaveLength(2);
  });

  it("settles the other rows of a batch next to one that cannot be stored", async () => {
    const backend = server.open();
    const leases = [];
    for (let count = 0; count < 3; count += 1) {
      const { operation } = submission();
      await backend.operations.create(operation);
      const lease = { operationId: operation.id, token: newToken() };
      await claimOne(backend.operations, operation.id, { ...lease, leaseMs: 60_000 });
      leases.push(lease);
    }
    const results = ["1", '"\u0000"', "3"];
    const answers = await Promise.allSettled(
      leases.map((lease, index) =>
        backend.operations.settle(lease, { to: "completed", result: results[index] ?? "" }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("reports STORE_UNAVAILABLE if no server answers, the pool has ended or the server is read-only", async () => {
    const away = openPool({ connectionString: "postgres://postgres@127.0.0.1:1/test" });
    const ended = openPool();
    await ended.end();
    const schema = server.newSchema();
    await server.open({ schema }).migrate();
    const readOnly = openPool({ options: "-c default_transaction_read_only=on" });
    for (const pool of [away, ended, readOnly]) {
      const backend = createPostgresBackend({ pool, schema, migrate: "manual" });
      const recording = backend.submissions.record(submission({ key: "k" }));
      await expect(recording).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        detail: "The store cannot be reached.",
      });
      await backend.close();
    }
    await readOnly.end();
    await away.end();
  });

  type Write = (backend: PostgresBackend<unknown>) => Promise<unknown> | undefined;
  // A statement is repeated by the back end, a transaction by its caller.
  const writes: readonly (readonly [what: string, second: string, write: Write])[] = [
    ["statement", "exists", ({ submissions }) => submissions.record(submission({ key: "k" }))],
    [
      "transaction",
      "created",
      ({ submissions }) => submissions.transactions?.record(submission({ key: "k" }), async () => "{}"),
    ],
  ];
  it.each(writes)(
    "closes connections to a server that turned read-only and uses its successor, after a %s",
    async (_, second, write) => {
      const database = server.newSchema();
      await server.pool.query(`create database ${database}`);
      // As at one address before and after a failover: connections opened before the failover stay read-only.
      const alter = (how: string) =>
        server.pool.query(`alter database ${database} ${how.replace("it", "default_transaction_read_only")}`);
      const setup = openPoolAt(portOfServer(), { database, max: 1 });
      await createPostgresBackend({ pool: setup }).migrate();
      await setup.end();
      await alter("set it = on");
      const pool = openPoolAt(portOfServer(), { database, max: 1 });
      try {
        const backend = createPostgresBackend({ pool, migrate: "manual" });
        expect(await backend.operations.get(newId(), "a")).toBeUndefined();
        await alter("reset it");
        await Promise.resolve(write(backend)).catch(() => {});
        expect(await write(backend)).toMatchObject({ outcome: second });
      } finally {
        await pool.end();
        await server.pool.query(`drop database ${database}`);
      }
    },
  );

  it("continues with new connections when the server has ended the old ones", async () => {
    const pool = openPool({ max: 3, application_name: "to be ended" });
    pool.on("error", () => {});
    try {
      const backend = createPostgresBackend({ pool, schema: server.newSchema() });
      const first = submission({ key: "1" });
      await backend.submissions.record(first);
      const end =
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to be ended'";
      await server.pool.query(end);
      expect(await backend.submissions.record(submission({ key: "2" }))).toEqual({ outcome: "created" });
      expect((await backend.operations.get(first.operation.id, "a"))?.state).toBe("pending");
    } finally {
      await pool.end();
    }
  });

  it("refuses calls that exceed the length of the queue, and accepts more once it is shorter", async () => {
    const backend = server.open({ maxWaiting: 2, maxBatch: 1, maxInFlight: 1 });
    await backend.migrate();
    const answers = await Promise.allSettled(
      Array.from({ length: 4 }, () => backend.submissions.record(submission())),
    );
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: "OVERLOADED" } });
    expect(await backend.submissions.record(submission())).toEqual({ outcome: "created" });
  });

  it("refuses calls that exceed the size of the queue, except for a single call", async () => {
    const backend = server.open({ maxWaitingBytes: 10, maxBatch: 1, maxInFlight: 1 });
    await backend.migrate();
    const weights = [100, 100, 1, 1];
    const answers = await Promise.allSettled(
      weights.map((weight) => backend.submissions.record(submission({ input: "1".repeat(weight) }))),
    );
    // All arrive in one turn: the first waits alone, and the others join it.
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect(answers[3]).toMatchObject({ reason: { code: "OVERLOADED" } });
    expect(await backend.submissions.record(submission({ input: "1".repeat(100) }))).toEqual({
      outcome: "created",
    });
  });

  it.each([
    ["statementTimeoutMs", 0],
    ["statementTimeoutMs", 2 ** 31],
    ["maxWaitingBytes", Number.POSITIVE_INFINITY],
  ])("rejects a bad `%s` by name", (name, value) => {
    expect(() => server.open({ [name]: value })).toThrow(`Option \`${name}\``);
  });
});

/** Random, because Postgres would compress other text. */
function newLongText(): string {
  return Array.from({ length: 300 }, newToken).join("");
}
