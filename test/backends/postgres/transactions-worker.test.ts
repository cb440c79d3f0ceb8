import { createWorker, type Job, permanentFailure, type WorkerOptions } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import type { PoolClient } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { unreadable } from "../../support/unreadable.js";
import { errorOf, signalOf } from "../../support/worker-stage.js";
import { noting } from "../noting.js";
import { delayingCommit, type LossAt, losingCommit, notingPool } from "./lost-commit.js";
import {
  createTransactionStage,
  type OrderProcessor,
  type StageOptions,
  type TransactionStage,
} from "./transaction-stage.js";

await describePostgres("a processor that works in a transaction", (server) => {
  /** Creates a stage with a submitted operation. */
  async function staged(backend: StageOptions["backend"] = {}) {
    const stage = await createTransactionStage(server, { backend });
    return { stage, id: await stage.submitted() };
  }

  async function start(stage: TransactionStage, orders: OrderProcessor, options: WorkerOptions = {}) {
    const backoff = { baseMs: 1, maxMs: 1 };
    const settings = { backoff, sweepIntervalMs: 50, drainTimeoutMs: 50, ...options };
    const worker = createWorker(stage.service, { orders }, settings);
    onTestFinished(async () => {
      await worker.stop();
      await stage.backend.close();
    });
    await worker.start();
    return worker;
  }

  /** Starts a worker, and waits until the operation is terminal and its worker has reported that. */
  async function runToEnd(stage: TransactionStage, orders: OrderProcessor, options?: WorkerOptions) {
    await start(stage, orders, options);
    await vi.waitUntil(() => stage.events.some(({ event }) => /^operation\.(completed|failed)$/.test(event)));
  }

  it.each(unreadable.map(([name]) => name))("rolls back and throws the original error: %s", async (name) => {
    const hostile = new Map(unreadable).get(name);
    const { stage, id } = await staged();
    const caught: unknown[] = [];
    await runToEnd(stage, async (_, job) => {
      if (job.attempt > 1) return "done";
      const working = job.transaction(async (tx) => {
        await stage.write(tx, id);
        throw hostile;
      });
      await working.catch((error: unknown) => caught.push(error));
      throw hostile;
    });
    expect(caught[0] === hostile).toBe(true);
    expect(await stage.effects()).toEqual([]);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("completes the operation and writes in one commit, and later code changes nothing", async () => {
    const texts: string[] = [];
    const pool = notingPool(server.pool, (text) => texts.push(text));
    const { stage, id } = await staged({ pool });
    const seen: unknown[] = [];
    await runToEnd(stage, async (_, job) => {
      const value = await job.transaction(async (tx) => {
        await stage.write(tx, job.operationId);
        seen.push((await stage.read(id)).state);
        return { parcel: 7 };
      });
      seen.push(value, (await stage.read(id)).state);
      return { parcel: 8 };
    });
    expect(seen).toEqual(["pending", { parcel: 7 }, "completed"]);
    // The settle of the transaction.
    expect(texts.filter((text) => /^select .*\.settle_in_v1\(/.test(text))).toHaveLength(1);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1, result: '{"parcel":7}' });
    expect(await stage.effects()).toEqual([id]);
    expect(stage.attempts()).toEqual(["operation.accepted", "operation.started", "operation.completed"]);
  });

  it.each(["commit", "rollback", "commit; begin", "rollback; begin"])(
    "says so if the function runs `%s`, and does not complete the operation",
    async (sql) => {
      const { stage, id } = await staged();
      const caught: unknown[] = [];
      await runToEnd(stage, async (_, job) => {
        if (job.attempt > 1) return "done";
        const working = job.transaction(async (tx) => {
          await stage.write(tx, id);
          await tx.query("savepoint mine; release savepoint mine");
          await tx.query(sql);
        });
        await working.catch((error: unknown) => caught.push(error));
        return working;
      });
      const detail = expect.stringContaining("Do not run `commit`") as string;
      expect(caught).toMatchObject([{ code: "INVALID_OPTION", detail }]);
      expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 2 });
      expect(await stage.effects()).toEqual(sql.startsWith("commit") ? [id] : []);
    },
  );

  it("reports errors after the commit only to the observer", async () => {
    const { stage, id } = await staged();
    const late = new Error("mail server");
    await runToEnd(stage, async (_, job) => {
      await job.transaction((tx) => stage.write(tx, job.operationId));
      throw late;
    });
    const after = { event: "background.failed", step: "after-transaction", error: late };
    expect(stage.events).toContainEqual(after);
    expect(stage.attempts().at(-1)).toBe("operation.completed");
    expect(await stage.read(id)).not.toHaveProperty("result");
  });

  it("writes nothing in an attempt whose function throws, and passes on the original error", async () => {
    const { stage, id } = await staged();
    const failure = new Error("not yet");
    const caught: unknown[] = [];
    await runToEnd(stage, async (_, job) => {
      const work = async (tx: PoolClient) => {
        await stage.write(tx, job.operationId);
        if (job.attempt < 3) throw failure;
      };
      await job.transaction(work).catch(noting(caught));
    });
    expect(caught).toEqual([failure, failure]);
    expect(caught[0]).toBe(failure);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 3 });
    expect(await stage.effects()).toEqual([id]);
  });

  it.each([
    [
      "a permanent failure",
      "work-failed",
      () => {
        throw permanentFailure("Sold out.");
      },
    ],
    ["a result that has no JSON form", "invalid-result", () => 1n],
    ["a result that is too large", "invalid-result", () => "x".repeat(70_000)],
  ])("fails the operation and writes nothing for %s", async (_, problem, give) => {
    const { stage, id } = await staged();
    await runToEnd(stage, (_order, job) =>
      job.transaction(async (tx) => {
        await stage.write(tx, job.operationId);
        return give();
      }),
    );
    expect(await stage.read(id)).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(await stage.read(id)).type).toBe(problemType(problem as "work-failed"));
    expect(await stage.effects()).toEqual([]);
  });

  it("has one transaction per attempt", async () => {
    const { stage, id } = await staged();
    const codes: unknown[] = [];
    await runToEnd(stage, async (_, job) => {
      const work = (tx: PoolClient) => stage.write(tx, job.operationId);
      await job.transaction(work);
      await job.transaction(work).catch(({ code }: { code: string }) => codes.push(code));
    });
    expect(codes).toEqual(["TRANSACTION_USED"]);
    expect(await stage.effects()).toEqual([id]);
  });

  it("does not run and writes nothing if another attempt has begun", async () => {
    const { stage, id } = await staged();
    const codes: unknown[] = [];
    let ran = false;
    // In one step. Otherwise the worker itself could begin the other attempt.
    const lease = "due_at = now() + interval '1 min'";
    const steal = `update ${stage.schema}.operations set token = 'other', attempt = attempt + 1, ${lease}`;
    const processor: OrderProcessor = async (_order, job) => {
      await server.pool.query(steal);
      const work = async (tx: PoolClient) => {
        ran = true;
        await stage.write(tx, job.operationId);
      };
      await job.transaction(work).catch(({ code }: { code: string }) => codes.push(code));
      // The return value is dropped too.
      return "late";
    };
    await start(stage, processor, { leaseMs: 60_000 });
    await vi.waitUntil(() => stage.attempts().includes("attempt.lost") && codes.length > 0);
    expect(codes).toEqual(["LEASE_LOST"]);
    expect(ran).toBe(false);
    expect(await stage.read(id)).toMatchObject({ state: "pending", attempt: 2 });
    expect(await stage.effects()).toEqual([]);
    await stage.backend.operations.settle({ operationId: id, token: "other" }, { to: "completed" });
  });

  it.each<[LossAt, number]>([
    ["after the commit", 1],
    ["before the commit", 2],
  ])("is done once if the connection is lost %s", async (at, attempts) => {
    const { stage, id } = await staged({ pool: losingCommit(server.pool, at) });
    const caught: unknown[] = [];
    await runToEnd(stage, (_, job) =>
      job.transaction((tx) => stage.write(tx, job.operationId)).catch(noting(caught)),
    );
    expect(caught).toMatchObject([{ code: "STORE_UNAVAILABLE" }]);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: attempts });
    expect(await stage.effects()).toEqual([id]);
    expect(stage.attempts().filter((event) => event === "operation.completed")).toHaveLength(1);
  });

  it("continues in another attempt if the server ends the connection in the middle", async () => {
    const { stage, id } = await staged();
    await runToEnd(stage, async (_, job) => {
      await job.transaction(async (tx) => {
        await stage.write(tx, job.operationId);
        if (job.attempt > 1) return;
        const { rows } = await tx.query("select pg_backend_pid() as pid");
        const gone = new Promise((resolve) => tx.once("end", resolve));
        await server.pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
        await gone;
      });
    });
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 2 });
    expect(await stage.effects()).toEqual([id]);
  });

  it.each<[string, WorkerOptions, string]>([
    ["its worker stops", {}, "operation.released"],
    [
      "its time limit is over",
      // The delay is random, from 0.
      { attemptTimeoutMs: 200, backoff: { baseMs: 2_000_000_000, maxMs: 2_000_000_000 } },
      "operation.retried",
    ],
  ])("is rolled back when %s, and cannot write any more", async (_, options, event) => {
    const { stage, id } = await staged();
    const [begun, lateWrite] = [signalOf(), signalOf<unknown>()];
    const worker = await start(
      stage,
      async (_order, job) => {
        const aborted = new Promise((resolve) => job.signal.addEventListener("abort", resolve));
        await job.transaction(async (tx) => {
          await stage.write(tx, job.operationId);
          begun.resolve();
          await aborted;
          await vi.waitUntil(() => stage.attempts().includes(event));
          await stage.write(tx, job.operationId).then(() => lateWrite.resolve("written"), lateWrite.resolve);
        });
      },
      options,
    );
    await begun.promise;
    if (event === "operation.released") await worker.stop();
    expect(await lateWrite.promise).toBeInstanceOf(Error);
    const attempt = event === "operation.released" ? 0 : 1;
    expect(await stage.read(id)).toMatchObject({ state: "pending", attempt });
    expect(await stage.effects()).toEqual([]);
  });

  it("does not mistake its own end for the loss of its lease, however long the commit takes", async () => {
    const pool = delayingCommit(server.pool, 1_200);
    const { stage } = await staged({ pool });
    let signal: AbortSignal | undefined;
    await runToEnd(
      stage,
      async (_, job: Job<unknown, PoolClient>) => {
        signal = job.signal;
        await job.transaction((tx) => stage.write(tx, job.operationId));
        await new Promise((resolve) => setTimeout(resolve, 1_200));
      },
      { leaseMs: 1_400 },
    );
    expect(signal?.aborted).toBe(false);
    expect(stage.attempts()).toEqual(["operation.accepted", "operation.started", "operation.completed"]);
  });
});
