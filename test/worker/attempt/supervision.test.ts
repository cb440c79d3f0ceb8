import { AsyncReplyError, problemType } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { createStage, errorOf, LEASE_MS, signalOf } from "../stage.js";

describe("an attempt", () => {
  it("keeps its lease while it runs, for any length of time", async () => {
    const { submit, read, worker, clock } = createStage();
    const id = await submit();
    const started = signalOf();
    const finish = signalOf();
    const working = worker({
      orders: () => {
        started.resolve();
        return finish.promise;
      },
    });
    const idle = working.runUntilIdle();
    await started.promise;
    await clock.advance(10 * LEASE_MS);
    await worker({ orders: () => "stolen" }).runUntilIdle();
    finish.resolve();
    await idle;
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect((await read(id)).result).toBeUndefined();
  });

  it("is aborted and counted when it exceeds its time limit, and frees its slot", async () => {
    const { submit, read, worker, clock } = createStage();
    const id = await submit();
    const started = signalOf<AbortSignal>();
    const working = worker(
      {
        orders: (_, { signal }) => {
          started.resolve(signal);
          return new Promise(() => {});
        },
      },
      { attemptTimeoutMs: 5_000, maxAttempts: 1, concurrency: 1 },
    );
    const idle = working.runUntilIdle();
    const signal = await started.promise;
    await clock.advance(5_000);
    await idle;
    expect(signal.reason).toBeInstanceOf(AsyncReplyError);
    expect(signal.reason).toMatchObject({ code: "ATTEMPT_TIMEOUT" });
    expect(await read(id)).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(await read(id)).type).toBe(problemType("attempts-exhausted"));
  });

  it("shows its progress before the next renewal is due", async () => {
    const { submit, read, worker } = createStage();
    const id = await submit();
    const shown: unknown[] = [];
    await worker({
      orders: async (_, job) => {
        job.progress({ done: 1, of: 2 });
        await Promise.resolve();
        shown.push((await read(id)).progress);
      },
    }).runUntilIdle();
    expect(shown).toEqual(['{"done":1,"of":2}']);
  });

  it("learns of a cancellation through its signal, and completing beats it", async () => {
    const { submit, read, cancel, worker, clock } = createStage();
    const id = await submit();
    const started = signalOf<AbortSignal>();
    const finish = signalOf();
    const idle = worker({
      orders: async (_, { signal }) => {
        started.resolve(signal);
        await finish.promise;
        return "done all the same";
      },
    }).runUntilIdle();
    const signal = await started.promise;
    expect(await cancel(id)).toBe(202);
    await clock.advance(LEASE_MS / 3);
    expect(signal.reason).toMatchObject({ code: "CANCELLED" });
    finish.resolve();
    await idle;
    expect(await read(id)).toMatchObject({ state: "completed" });
  });

  it("that gives up after a cancellation ends as `cancelled` and is not retried", async () => {
    const { submit, read, cancel, worker, clock } = createStage();
    const id = await submit();
    const started = signalOf();
    const idle = worker({
      orders: (_, { signal }) => {
        started.resolve();
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    }).runUntilIdle();
    await started.promise;
    await cancel(id);
    await clock.advance(LEASE_MS / 3);
    await idle;
    expect(errorOf(await read(id)).type).toBe(problemType("cancelled"));
  });

  it("of an operation without a worker is canceled immediately", async () => {
    const { submit, read, cancel, worker } = createStage();
    const id = await submit();
    expect(await cancel(id)).toBe(200);
    let runs = 0;
    await worker({ orders: () => (runs += 1) }).runUntilIdle();
    expect(runs).toBe(0);
    expect(await read(id)).toMatchObject({ state: "failed" });
  });
});
