import { createWorker, type WorkerOptions } from "async-request-reply";
import type { IsolationLevel } from "async-request-reply/ports";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOnce, claimOne } from "../../support/claims.js";
import { describePostgres } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";
import { openTestPool } from "./test-pool.js";
import {
  createTransactionStage,
  type OrderProcessor,
  TENANT,
  type TransactionStage,
} from "./transaction-stage.js";

const { newToken } = createSystemRuntime();
const LEVELS: readonly IsolationLevel[] = ["read committed", "repeatable read", "serializable"];
/** Shorter than any transaction here. */
const LEASE_MS = 300;

await describePostgres("the lock of a settling transaction", (server) => {
  /** Creates a stage whose connections have this isolation level by default, and its operation. */
  async function staged(level?: IsolationLevel) {
    const options =
      level === undefined ? "" : `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
    const pool = level === undefined ? server.pool : openTestPool({ options });
    const stage = await createTransactionStage(server, { backend: { pool, pollIntervalMs: 20 } });
    onTestFinished(() => stage.backend.close());
    return { stage, id: await stage.submitted() };
  }

  async function start(stage: TransactionStage, orders: OrderProcessor, options: WorkerOptions = {}) {
    const settings = { leaseMs: LEASE_MS, maxAttempts: 1, sweepIntervalMs: 20, ...options };
    const worker = createWorker(stage.service, { orders }, settings);
    onTestFinished(() => worker.stop());
    await worker.start();
  }

  function ended(stage: TransactionStage) {
    return vi.waitUntil(() => stage.attempts().some((event) => /operation.(completed|failed)/.test(event)));
  }

  /** Waits until the lease in the row of the operation has expired. */
  function leaseIsOver({ schema }: TransactionStage, id: string) {
    const text = `select due_at < now() as over from ${schema}.operations where id = $1`;
    return vi.waitUntil(async () => (await server.pool.query(text, [id])).rows[0]?.over === true);
  }

  /** Returns errors that happened outside the processor. */
  function troubles({ events }: TransactionStage): readonly unknown[] {
    return events.filter(({ event }) => event === "background.failed");
  }

  describe.each(LEVELS)("at %s by default", (level) => {
    it("lets work commit that outlasts its lease and reports progress before and during the transaction", async () => {
      const { stage, id } = await staged(level);
      await start(stage, async (_, job) => {
        job.progress({ percent: 1 });
        return job.transaction(async (tx) => {
          const { rows } = await tx.query("select current_setting('transaction_isolation') as level");
          await stage.write(tx, job.operationId);
          job.progress({ percent: 50 });
          await leaseIsOver(stage, id);
          job.progress({ percent: 99 });
          return rows[0].level as string;
        });
      });
      await ended(stage);
      expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1, result: `"${level}"` });
      expect(await stage.effects()).toEqual([id]);
      expect(troubles(stage)).toEqual([]);
    });

    it("waits for a renewal in progress and runs the work once", async () => {
      const { stage, id } = await staged(level);
      const renewal = `update ${stage.schema}.operations set due_at = due_at + interval '1 s' where id = $1`;
      const renewing = await server.pool.connect();
      await renewing.query("begin");
      let runs = 0;
      await start(
        stage,
        async (_, job) => {
          await renewing.query(renewal, [id]);
          const working = job.transaction(async (tx) => {
            runs += 1;
            await stage.write(tx, job.operationId);
          });
          const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%${stage.schema}%hold_v1%'`;
          await vi.waitUntil(async () => (await server.pool.query(waits)).rowCount === 1);
          await renewing.query("commit");
          await working;
        },
        { leaseMs: 60_000 },
      );
      await ended(stage);
      renewing.release();
      expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1 });
      expect([runs, await stage.effects()]).toEqual([1, [id]]);
    });
  });

  it.each(LEVELS)("works with the isolation level that the processor chooses: %s", async (isolation) => {
    const { stage, id } = await staged("read committed");
    await start(stage, (_, job) =>
      job.transaction(
        async (tx) => {
          await leaseIsOver(stage, id);
          const { rows } = await tx.query("select current_setting('transaction_isolation') as level");
          return rows[0].level as string;
        },
        { isolation },
      ),
    );
    await ended(stage);
    expect((await stage.read(id)).result).toBe(`"${isolation}"`);
  });

  it("rejects an unknown isolation level by name", async () => {
    const { stage } = await staged();
    const errors: unknown[] = [];
    await start(stage, (_, job) =>
      job
        .transaction(() => 1, { isolation: "snapshot" as never })
        .catch((error: unknown) => errors.push(error)),
    );
    await ended(stage);
    expect(errors).toMatchObject([{ code: "INVALID_OPTION", detail: expect.stringContaining('"snapshot"') }]);
  });

  it("blocks begin, claim and cancel for a bounded time", async () => {
    const { stage, id } = await staged();
    const { operations } = stage.backend;
    const [opened, finish] = [signalOf(), signalOf()];
    await start(stage, (_, job) =>
      job.transaction(async (tx) => {
        await stage.write(tx, job.operationId);
        opened.resolve();
        await finish.promise;
      }),
    );
    await opened.promise;
    await leaseIsOver(stage, id);
    const since = performance.now();
    const lease = { token: newToken(), leaseMs: 60_000 };
    expect(await claimOne(operations, id, lease)).toBeUndefined();
    expect(await claimOnce(stage.backend)).toEqual([]);
    await expect(operations.requestCancel(id, TENANT)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    // Each call has its own limit of at most a second.
    expect(performance.now() - since).toBeLessThan(10_000);
    expect((await stage.read(id)).state).toBe("pending");
    finish.resolve();
    await ended(stage);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect(await operations.requestCancel(id, TENANT)).toBe("terminal");
  });

  it("is followed by a renewal with the latest progress when the work is rolled back", async () => {
    const { stage, id } = await staged();
    const finish = signalOf();
    await start(
      stage,
      async (_, job) => {
        const work = async () => {
          job.progress({ percent: 50 });
          await leaseIsOver(stage, id);
          throw new Error("rolled back");
        };
        await job.transaction(work).catch(() => {});
        await finish.promise;
        return "without it";
      },
      // With more slots, the worker could take the operation again between the rollback and the renewal.
      { concurrency: 1 },
    );
    await vi.waitUntil(async () => (await stage.read(id)).progress !== undefined);
    expect((await stage.read(id)).progress).toBe('{"percent":50}');
    const lease = { token: newToken(), leaseMs: 60_000 };
    expect(await claimOne(stage.backend.operations, id, lease)).toBeUndefined();
    finish.resolve();
    await ended(stage);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1, result: '"without it"' });
  });

  it("is released by the server when its machine is gone", async () => {
    const stage = await createTransactionStage(server, { backend: { idleTransactionTimeoutMs: 300 } });
    const id = await stage.submitted();
    const { operations, submissions } = stage.backend;
    const lease = { operationId: id, token: newToken() };
    await claimOne(operations, id, { token: lease.token, leaseMs: 1 });
    const opened = signalOf();
    const gone = new AbortController();
    // Nothing more arrives on this connection: no statement and no close.
    const working = submissions.transactions?.settle(
      lease,
      () => {
        opened.resolve();
        return new Promise(() => {});
      },
      { signal: gone.signal },
    );
    await opened.promise;
    const begin = () => claimOne(operations, id, { token: newToken(), leaseMs: 60_000 });
    expect(await begin()).toBeUndefined();
    await expect.poll(begin).toBeDefined();
    gone.abort();
    await expect(working).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is released soon when the attempt is interrupted during a long statement", async () => {
    const { stage, id } = await staged();
    const since = performance.now();
    await start(
      stage,
      async (_, job) => {
        if (job.attempt === 1) await job.transaction((tx) => tx.query("select pg_sleep(60)"));
      },
      { attemptTimeoutMs: 200, maxAttempts: 2, backoff: { baseMs: 1, maxMs: 1 }, leaseMs: 1_000 },
    );
    await ended(stage);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 2 });
    expect(performance.now() - since).toBeLessThan(30_000);
  });
});
