import { createWorker } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { errorOf, signalOf } from "../../support/worker-stage.js";
import { notingPool } from "./lost-commit.js";
import {
  createTransactionStage,
  type OrderProcessor,
  type StageOptions,
  type TransactionStage,
} from "./transaction-stage.js";

await describePostgres("a processor that does not await its transaction", (server) => {
  const closing: (() => Promise<unknown>)[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  async function run(processorOf: (stage: TransactionStage) => OrderProcessor, options?: StageOptions) {
    const stage: TransactionStage = await createTransactionStage(server, options);
    const id = await stage.submitted();
    const worker = createWorker(
      stage.service,
      { orders: processorOf(stage) },
      { maxAttempts: 1, sweepIntervalMs: 20 },
    );
    closing.push(() => stage.backend.close());
    closing.push(() => worker.stop());
    await worker.start();
    const over = () => stage.attempts().some((event) => /operation.(completed|failed)/.test(event));
    await vi.waitUntil(over);
    const failed = stage.events.find(({ event }) => event === "operation.failed");
    return { stage, id, error: failed !== undefined && "error" in failed ? failed.error : undefined };
  }

  it("fails the attempt with advice, and nothing is written", async () => {
    const late = signalOf<unknown>();
    const { stage, id, error } = await run((stage) => async (_, job) => {
      const started = signalOf();
      void job.transaction(async (tx) => {
        await tx.query("select 1");
        started.resolve();
        await vi.waitUntil(() => stage.attempts().includes("operation.failed"));
        await tx.query("select 1").then(() => late.resolve("it could"), late.resolve);
      });
      await started.promise;
      return "too early";
    });
    expect(error).toMatchObject({
      code: "TRANSACTION_NOT_AWAITED",
      detail: expect.stringContaining("Return or await its promise"),
    });
    expect(errorOf(await stage.read(id)).type).toBe(problemType("attempts-exhausted"));
    expect(await late.promise).toBeInstanceOf(Error);
    expect(await stage.effects()).toEqual([]);
  });

  it("also fails the attempt if it returns before the transaction has begun", async () => {
    const { stage, id, error } = await run((stage) => (_, job) => {
      void job.transaction((tx) => stage.write(tx, job.operationId));
      return "too early";
    });
    expect(error).toMatchObject({ code: "TRANSACTION_NOT_AWAITED" });
    expect((await stage.read(id)).state).toBe("failed");
    expect(await stage.effects()).toEqual([]);
  });

  it("completes the operation with the value of the transaction if the commit was already in progress", async () => {
    const committing = signalOf();
    let working = false;
    const pool = notingPool(server.pool, (text) => {
      if (working && text === "commit") committing.resolve();
    });
    const { stage, id } = await run(
      (stage) => async (_, job) => {
        void job.transaction(async (tx) => {
          working = true;
          await stage.write(tx, job.operationId);
          return "committed";
        });
        await committing.promise;
        return "too early";
      },
      { backend: { pool } },
    );
    expect(await stage.read(id)).toMatchObject({ state: "completed", result: '"committed"' });
    expect(await stage.effects()).toEqual([id]);
  });

  it("is rolled back when the processor throws, and the attempt fails with that error", async () => {
    const failure = new Error("unrelated");
    const { stage, error } = await run((stage) => async (_, job) => {
      const started = signalOf();
      void job.transaction(async (tx) => {
        await stage.write(tx, job.operationId);
        started.resolve();
        await new Promise(() => {});
      });
      await started.promise;
      throw failure;
    });
    expect(error).toBe(failure);
    expect(await stage.effects()).toEqual([]);
  });

  it("cannot begin a transaction after it has returned, and the observer learns of it", async () => {
    const refused = signalOf<unknown>();
    const { stage, id } = await run((stage) => (_, job) => {
      void vi
        .waitUntil(() => stage.attempts().includes("operation.completed"))
        .then(() => job.transaction((tx) => stage.write(tx, job.operationId)))
        .catch(refused.resolve);
      return "done";
    });
    expect(await refused.promise).toMatchObject({ code: "TRANSACTION_NOT_AWAITED" });
    expect(stage.events).toContainEqual(
      expect.objectContaining({ event: "background.failed", step: "after-transaction" }),
    );
    expect((await stage.read(id)).result).toBe('"done"');
    expect(await stage.effects()).toEqual([]);
  });
});
