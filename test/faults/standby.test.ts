import type { NewOperation, Submission } from "async-request-reply/ports";
import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import { Pool, type PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { createSystemRuntime } from "../../src/platform/system-runtime.js";
import { claimOne } from "../support/claims.js";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../support/postgres/private-postgres.js";
import type { OrderProcess } from "./order-processes.js";
import { newOrder, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

const { newId, newToken } = createSystemRuntime();

const WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Makes every commit of a server wait for its standby. */
async function waitForStandby(primary: PrivatePostgres): Promise<void> {
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.query("SELECT pg_reload_conf()");
  const streaming = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  await vi.waitUntil(async () => (await primary.query(streaming)).length > 0);
}

/** Ends the wait of a commit, which keeps the commit. Resolves to the process that waited. */
async function endWait(primary: PrivatePostgres): Promise<unknown> {
  const waiting = async () => (await primary.query<{ pid: number }>(WAITING))[0]?.pid;
  const pid = await vi.waitUntil(waiting);
  await primary.query("SELECT pg_terminate_backend($1, 5000)", [pid]);
  return pid;
}

/** Whether another commit waits for the standby. */
async function waitsAgain(primary: PrivatePostgres): Promise<boolean> {
  return (await primary.query(WAITING)).length > 0;
}

describeWithPostgres("a primary whose synchronous standby takes over (F26)", (installation) => {
  const bench = useFaultBench(installation);
  let standby: PrivatePostgres;
  let api: OrderProcess;
  beforeEach(async () => {
    standby = await startPrivatePostgres({ installation, standbyOf: bench().postgres });
    await waitForStandby(bench().postgres);
    api = await bench().start({ role: "api" });
  });
  afterEach(async () => {
    await api.kill9();
    await standby.remove();
    await bench().postgres.start();
    await bench().postgres.query("ALTER SYSTEM RESET synchronous_standby_names");
    await bench().postgres.query("SELECT pg_reload_conf()");
  });

  /** Kills the primary, and returns the keys of all orders on the standby that replaces it. */
  async function keysAfterFailover(): Promise<readonly string[]> {
    await bench().postgres.kill9();
    await standby.start();
    await standby.query("SELECT pg_promote()");
    const rows = await standby.query<{ key: string }>("SELECT key FROM async_request_reply.operations");
    return rows.map(({ key }) => key);
  }

  it("has every order with a 202, also if the wait of its commit was ended", async () => {
    const [known, lost] = [newOrder("known"), newOrder("lost")];
    expect(await sendOnce(known, api.baseUrl)).toBe(202);
    await standby.stop("fast");
    const sending = sendOnce(lost, api.baseUrl);
    await endWait(bench().postgres);
    // The back end repeats the call, which finds the order of the first one.
    await vi.waitUntil(async () => lost.statuses.length > 0 || (await waitsAgain(bench().postgres)));
    const keys = await keysAfterFailover();
    await sending;
    expect(keys).toEqual(["known"]);
    expect(lost.statuses).toEqual([503]);
  });

  it("has every order with a 202, also if the primary restarted and the client repeated its request", async () => {
    const lost = newOrder("restarted");
    await standby.stop("fast");
    const sending = sendOnce(lost, api.baseUrl);
    await vi.waitUntil(() => waitsAgain(bench().postgres));
    await bench().postgres.stop("fast");
    await bench().postgres.start();
    const repeating = sendOnce(lost, api.baseUrl);
    await vi.waitUntil(async () => lost.statuses.includes(202) || (await waitsAgain(bench().postgres)));
    const keys = await keysAfterFailover();
    await Promise.all([sending, repeating]);
    expect(keys).not.toContain("restarted");
    expect(lost.statuses).not.toContain(202);
  });
});

describeWithPostgres(
  "a call that is repeated while the synchronous standby is down (F26)",
  (installation) => {
    let primary: PrivatePostgres;
    let standby: PrivatePostgres;
    let pool: Pool;
    let backend: PostgresBackend<PoolClient>;
    beforeAll(async () => {
      primary = await startPrivatePostgres({ installation });
      standby = await startPrivatePostgres({ installation, standbyOf: primary });
      pool = new Pool({ connectionString: primary.url(), max: 4 });
      pool.on("error", () => {});
      backend = createPostgresBackend({ pool, listen: false });
      await backend.migrate();
      await waitForStandby(primary);
    });
    afterAll(async () => {
      await backend.close();
      await pool.end();
      await standby.remove();
      await primary.remove();
    });

    const submission = (members: Partial<NewOperation> = {}): Submission => ({
      operation: { id: newId(), tenant: "a", definition: "d", input: "1", retentionMs: 60_000, ...members },
      fingerprint: "1:a",
    });
    const preparing = { state: "preparing", leaseMs: 60_000 } as const;
    async function begun(initial?: { readonly token: string }) {
      const { operation } = submission();
      const lease = { operationId: operation.id, token: initial?.token ?? newToken() };
      await backend.operations.create(operation, initial && { ...preparing, ...initial });
      if (initial === undefined)
        await claimOne(backend.operations, operation.id, { ...lease, leaseMs: 60_000 });
      return lease;
    }
    const record = () => backend.submissions.record(submission({ key: newId() }));

    /** Prepares a call. The second function makes it. */
    type Case = () => Promise<() => Promise<unknown>>;
    const cases: readonly (readonly [what: string, outcome: unknown, prepare: Case])[] = [
      ["records", { outcome: "created" }, async () => record],
      [
        "records several",
        [{ outcome: "created" }, { outcome: "created" }],
        async () => () => Promise.all([record(), record()]),
      ],
      [
        "creates",
        "created",
        async () => () =>
          backend.operations.create(submission().operation, { ...preparing, token: newToken() }),
      ],
      [
        "settles",
        { outcome: "settled", state: "completed" },
        async () => {
          const lease = await begun();
          return () => backend.operations.settle(lease, { to: "completed" });
        },
      ],
      [
        "settles a creation",
        { outcome: "lost" },
        async () => {
          const lease = await begun({ token: newToken() });
          return () => backend.operations.settle(lease, { to: "prepared", resource: "{}" });
        },
      ],
      [
        "redrives",
        expect.objectContaining({ outcome: "redriven", created: false }),
        async () => {
          const lease = await begun();
          await backend.operations.settle(lease, { to: "failed", error: "{}" });
          return () => backend.operations.redrive(lease.operationId, { id: newId(), onEndId: newId() });
        },
      ],
      [
        "cancels",
        "terminal",
        async () => {
          const { operation } = submission();
          await backend.operations.create(operation);
          return () => backend.operations.requestCancel(operation.id, "a");
        },
      ],
    ];
    it.each(cases)("%s and waits for the standby again", async (_, outcome, prepare) => {
      const call = await prepare();
      await standby.stop("fast");
      let answered = false;
      const answer = call().finally(() => {
        answered = true;
      });
      await endWait(primary);
      await vi.waitUntil(async () => answered || (await waitsAgain(primary)));
      const waited = !answered;
      await standby.start();
      expect(waited).toBe(true);
      expect(await answer).toEqual(outcome);
    });
  },
);
