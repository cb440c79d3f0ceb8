import type { Lease, Submission } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it, onTestFinished } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { countFailures } from "./intercepted-statements.js";
import { begin, begun, newId, openMigrated, newSubmission as submission } from "./submissions.js";
import { openTestPool } from "./test-pool.js";
import { inTransaction } from "./user-transaction.js";

/** Upper bound for the delay of a row next to a locked row. Many times the expected time, for a busy machine. */
const BOUND_MS = 2_500;

const submissions = (count: number): Submission[] =>
  Array.from({ length: count }, (_, index) => submission({ key: `k${index}` }));

/** Runs calls concurrently. Returns their results and the time of the slowest successful call. */
async function timed<T>(calls: readonly Promise<T>[]) {
  const begun = performance.now();
  let slowestMs = 0;
  const answers = await Promise.allSettled(
    calls.map(async (call) => {
      const value = await call;
      slowestMs = performance.now() - begun;
      return value;
    }),
  );
  return { answers, slowestMs, refused: answers.filter(({ status }) => status === "rejected").length };
}

await describePostgres("rows that share a statement", (server) => {
  /** Holds a lock in another transaction while `run` runs. */
  function whileHeld<T>(statement: string, values: unknown[], run: () => Promise<T>): Promise<T> {
    return inTransaction(server.pool, async (tx) => {
      await tx.query(statement, values);
      return run();
    });
  }

  const holdKey = (schema: string, key: string): readonly [string, unknown[]] => [
    `insert into ${schema}.operations (id, tenant, definition, key, bound, fingerprint, state, input, retention_ms, created_at)
     values ($1, 'a', 'orders', $2, true, '1:a', 'pending', '1', 60000, now())`,
    [newId(), key],
  ];
  const holdRow = (schema: string, id: string): readonly [string, unknown[]] => [
    `select from ${schema}.operations where id = $1 for update`,
    [id],
  ];

  const begunLeases = (backend: Opened, count: number) =>
    Promise.all(Array.from({ length: count }, () => begun(backend, { retentionMs: 0 })));

  it("become one operation if they share a key, without affecting the others", async () => {
    const backend = await openMigrated(server);
    const same = Array.from({ length: 20 }, () => submission({ key: "same" }));
    const others = submissions(20);
    const mixed = same.flatMap((each, index) => [each, others[index] ?? each]);
    const answers = await Promise.all(mixed.map((each) => backend.submissions.record(each)));
    const outcomes = answers.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(21);
    expect(outcomes.filter((outcome) => outcome === "exists")).toHaveLength(19);
    const winner = mixed.find(
      ({ operation }, index) => operation.key === "same" && outcomes[index] === "created",
    );
    const found = answers.flatMap((answer) => (answer.outcome === "exists" ? [answer.operation.id] : []));
    expect(new Set(found)).toEqual(new Set([winner?.operation.id]));
  });

  it("are written in one order, so that back ends never deadlock", async () => {
    // Enough rows that one statement is still running when the other begins.
    const COUNT = 1_000;
    const pool = openTestPool({ max: 8, options: "-c deadlock_timeout=10ms -c synchronous_commit=off" });
    const { pool: watched, failures: deadlocks } = countFailures(pool, ({ code }) => code === "40P01");
    const schema = server.newSchema();
    const ends = [1, 2].map(() =>
      createPostgresBackend({ pool: watched, schema, listen: false, maxBatch: COUNT }),
    );
    onTestFinished(async () => void (await Promise.all(ends.map((end) => end.close()))));
    await ends[0]?.migrate();
    for (let round = 0; round < 10; round += 1) {
      const keys = Array.from({ length: COUNT }, (_, index) => `${round}-${index}`);
      const ordered = [keys, keys.toReversed()];
      const all = ends.flatMap((end, turn) =>
        (ordered[turn] ?? []).map((key) => end.submissions.record(submission({ key }))),
      );
      const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(COUNT);
    }
    expect(deadlocks.count).toBe(0);
  });

  it("are recorded in time, 32 of them, next to keys that open transactions hold", async () => {
    const backend = await openMigrated(server);
    await whileHeld(...holdKey(backend.schema, "held-1"), () =>
      whileHeld(...holdKey(backend.schema, "held-2"), async () => {
        const held = [submission({ key: "held-1" }), submission({ key: "held-2" })];
        const { answers, slowestMs, refused } = await timed(
          [...held, ...submissions(32)].map((each) => backend.submissions.record(each)),
        );
        expect(refused).toBe(2);
        for (const answer of answers.slice(0, 2))
          expect(answer).toMatchObject({ reason: { code: "SUBMISSION_IN_PROGRESS" } });
        expect(slowestMs).toBeLessThan(BOUND_MS);
      }),
    );
  });

  it("are also recorded in time by later statements", async () => {
    const backend = await openMigrated(server, { maxBatch: 4, maxInFlight: 1 });
    await whileHeld(...holdKey(backend.schema, "held"), async () => {
      const { slowestMs, refused } = await timed(
        [submission({ key: "held" }), ...submissions(32)].map((each) => backend.submissions.record(each)),
      );
      expect(refused).toBe(1);
      expect(slowestMs).toBeLessThan(BOUND_MS);
    });
  });

  it("are skipped by claims, sweep and purge if they are locked", async () => {
    const backend = await openMigrated(server);
    const given = submissions(10);
    await Promise.all(given.map((each) => backend.submissions.record(each)));
    const claim = () => claimOnce(backend);
    const locked = given[0]?.operation.id ?? "";
    await whileHeld(...holdRow(backend.schema, locked), async () => {
      const { slowestMs, answers } = await timed([claim()]);
      expect(answers[0]).toMatchObject({ status: "fulfilled", value: { length: 9 } });
      expect(slowestMs).toBeLessThan(BOUND_MS);
    });
    expect(await claim()).toHaveLength(1);

    const ended = await begunLeases(backend, 10);
    await Promise.all(ended.map((lease) => backend.operations.settle(lease, { to: "completed" })));
    const purge = () => backend.submissions.purge({ limit: 100 });
    await whileHeld(...holdRow(backend.schema, ended[0]?.operationId ?? ""), async () => {
      const { slowestMs, answers } = await timed([purge()]);
      expect(answers[0]).toMatchObject({ value: 9 });
      expect(slowestMs).toBeLessThan(BOUND_MS);
    });
    expect(await purge()).toBe(1);
  });

  const unavailable = { status: "rejected", reason: { code: "STORE_UNAVAILABLE" } };
  const calls: Readonly<Record<string, (backend: Opened, lease: Lease) => Promise<unknown>>> = {
    renewed: ({ operations }, lease) => operations.renew(lease, { leaseMs: 60_000 }),
    settled: ({ operations }, lease) => operations.settle(lease, { to: "completed" }),
  };
  it.each(Object.entries(calls))(
    "are %s in time next to a row that another transaction has locked",
    async (_, call) => {
      const backend = await openMigrated(server);
      const leases = await begunLeases(backend, 16);
      await whileHeld(...holdRow(backend.schema, leases[0]?.operationId ?? ""), async () => {
        const { slowestMs, answers } = await timed(leases.map((lease) => call(backend, lease)));
        expect(answers[0]).toMatchObject(unavailable);
        expect(answers.slice(1).map(({ status }) => status)).toEqual(Array(15).fill("fulfilled"));
        expect(slowestMs).toBeLessThan(BOUND_MS);
      });
    },
  );

  it("are renewed next to a progress that Postgres cannot store", async () => {
    const backend = await openMigrated(server);
    const leases = await begunLeases(backend, 3);
    const progresses = ["1", '"\u0000"', "3"];
    const answers = await Promise.allSettled(
      leases.map((lease, index) =>
        backend.operations.renew(lease, { leaseMs: 60_000, progress: progresses[index] ?? "" }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("keep the character NUL where JSON allows it, as an escape", async () => {
    const backend = await openMigrated(server);
    const text = JSON.stringify({ text: "a\u0000b" });
    const given = submission({ key: "nul", input: text });
    await backend.submissions.record(given);
    const lease = await begin(backend, given.operation.id);
    await backend.operations.settle(lease, { to: "completed", result: text });
    expect(await backend.operations.get(lease.operationId, "a")).toMatchObject({ input: text, result: text });
  });
});
