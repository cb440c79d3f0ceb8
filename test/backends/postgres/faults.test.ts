import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import { expect, it, onTestFinished, vi } from "vitest";
import { describePostgres, openPool, openPoolAt, portOfServer } from "../../support/postgres/server.js";
import { loseOneAnswer, RECORD } from "./intercepted-statements.js";
import { begun, newId, newToken, openMigrated, newSubmission as submission } from "./submissions.js";
import { openTestPool } from "./test-pool.js";
import { inTransaction } from "./user-transaction.js";

await describePostgres("a Postgres back end in trouble", (server) => {
  it("records one operation if the answer to the commit is lost", async () => {
    const { pool, repeated } = loseOneAnswer(server.pool, RECORD);
    const backend = createPostgresBackend({ pool, schema: server.newSchema() });
    const given = submission({ key: "k" });
    expect(await backend.submissions.record(given)).toEqual({ outcome: "created" });
    expect((await backend.operations.list({ limit: 10 })).map(({ id }) => id)).toEqual([given.operation.id]);
    expect(repeated()).toBe(true);
  });

  it("settles once if the answer is lost", async () => {
    const { pool, repeated } = loseOneAnswer(server.pool, /^select .*settle_\w+\(/);
    const backend = createPostgresBackend({ pool, schema: server.newSchema() });
    const settled = await backend.operations.settle(await begun(backend), { to: "completed" });
    expect(settled).toEqual({ outcome: "settled", state: "completed" });
    expect(repeated()).toBe(true);
  });

  it("records the other rows of a batch when an open transaction holds a key, and retries that key", async () => {
    const backend = await openMigrated(server);
    const held = submission({ key: "held" });
    await inTransaction(server.pool, async (tx) => {
      await tx.query(
        `insert into ${backend.schema}.operations (id, tenant, definition, key, bound, fingerprint, state, input, retention_ms, created_at)
         values ($1, 'a', 'orders', 'held', true, '1:a', 'pending', '1', 60000, now())`,
        [newId()],
      );
      const others = Array.from({ length: 20 }, (_, index) => submission({ key: `k${index}` }));
      const answers = await Promise.allSettled(
        [held, ...others].map((each) => backend.submissions.record(each)),
      );
      expect(answers[0]).toMatchObject({ status: "rejected", reason: { code: "SUBMISSION_IN_PROGRESS" } });
      expect(answers.slice(1).every(({ status }) => status === "fulfilled")).toBe(true);
      expect(await backend.operations.list({ limit: 100 })).toHaveLength(20);
    });
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
    const settling = [];
    for (const result of ["1", '"\u0000"', "3"]) {
      const lease = await begun(backend);
      settling.push(() => backend.operations.settle(lease, { to: "completed", result }));
    }
    const answers = await Promise.allSettled(settling.map((settle) => settle()));
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("reports STORE_UNAVAILABLE if no server answers, the pool has ended or the server is read-only", async () => {
    const away = openTestPool({ connectionString: "postgres://postgres@127.0.0.1:1/test" });
    const ended = openPool();
    await ended.end();
    const schema = server.newSchema();
    await server.open({ schema }).migrate();
    const readOnly = openTestPool({ options: "-c default_transaction_read_only=on" });
    for (const pool of [away, ended, readOnly]) {
      const backend = createPostgresBackend({ pool, schema, migrate: "manual" });
      const recording = backend.submissions.record(submission({ key: "k" }));
      await expect(recording).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        detail: "The store cannot be reached.",
      });
      await backend.close();
    }
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
      onTestFinished(async () => {
        await pool.end();
        await server.pool.query(`drop database ${database}`);
      });
      const backend = createPostgresBackend({ pool, migrate: "manual" });
      expect(await backend.operations.get(newId(), "a")).toBeUndefined();
      await alter("reset it");
      await Promise.resolve(write(backend)).catch(() => {});
      // The server needs a moment to notice that the old connection, which holds the key, was closed.
      expect(await vi.waitFor(() => write(backend))).toMatchObject({ outcome: second });
    },
  );

  it("continues with new connections when the server has ended the old ones", async () => {
    const pool = openTestPool({ max: 3, application_name: "to be ended" });
    const backend = createPostgresBackend({ pool, schema: server.newSchema() });
    const first = submission({ key: "1" });
    await backend.submissions.record(first);
    const end =
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to be ended'";
    await server.pool.query(end);
    expect(await backend.submissions.record(submission({ key: "2" }))).toEqual({ outcome: "created" });
    expect((await backend.operations.get(first.operation.id, "a"))?.state).toBe("pending");
  });

  it("refuses calls that exceed the length of the queue, and accepts more once it is shorter", async () => {
    const backend = await openMigrated(server, { maxWaiting: 2, maxBatch: 1, maxInFlight: 1 });
    const answers = await Promise.allSettled(
      Array.from({ length: 4 }, () => backend.submissions.record(submission())),
    );
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: "OVERLOADED" } });
    expect(await backend.submissions.record(submission())).toEqual({ outcome: "created" });
  });

  it("refuses calls that exceed the size of the queue, except for a single call", async () => {
    const backend = await openMigrated(server, { maxWaitingBytes: 10, maxBatch: 1, maxInFlight: 1 });
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
});

/** Random, because Postgres would compress other text. */
function newLongText() {
  return Array.from({ length: 300 }, newToken).join("");
}
