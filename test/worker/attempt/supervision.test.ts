import { AsyncReplyError, defineOrders, permanentFailure, retryLater } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { replacing } from "../../support/replacing.js";
import { createStage, errorOf, LEASE_MS, signalOf } from "../../support/worker-stage.js";

/**
 * Starts an attempt whose store notifies only if a test calls `notify`. Renewals read the operation at once, and are
 * answered when `answered` resolves.
 */
async function startNotified(answered: Promise<void> = Promise.resolve()) {
  let onRequest: (id?: string) => void = () => {};
  const stage = createStage([defineOrders({ cancellable: true })], (backend) => ({
    ...backend,
    operations: replacing(backend.operations, {
      watchCancellations: (watcher) => {
        onRequest = watcher;
        return () => {
          onRequest = () => {};
        };
      },
      renew: async (...request) => {
        const renewed = await backend.operations.renew(...request);
        await answered;
        return renewed;
      },
    }),
  }));
  const id = await stage.submit();
  const started = signalOf<AbortSignal>();
  const finish = signalOf();
  const working = stage.worker({
    orders: (_order, { signal }) => {
      started.resolve(signal);
      return finish.promise;
    },
  });
  await working.start();
  return {
    ...stage,
    id,
    signal: await started.promise,
    notify: (of?: string) => onRequest(of),
    finish,
    working,
  };
}

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

  it("writes its progress at most once in 250 ms, however often it reports, and the last value wins", async () => {
    const writes: (string | undefined)[] = [];
    const { submit, read, worker, clock } = createStage([defineOrders()], (backend) => ({
      ...backend,
      operations: replacing(backend.operations, {
        renew: (lease, change) => {
          writes.push(change.progress);
          return backend.operations.renew(lease, change);
        },
      }),
    }));
    const id = await submit();
    const started = signalOf();
    const idle = worker({
      orders: async (_, job) => {
        started.resolve();
        for (let report = 1; report <= 190; report += 1) {
          job.progress(report);
          await new Promise<void>((resolve) => clock.schedule(5, resolve));
        }
        throw retryLater({ afterMs: LEASE_MS });
      },
    }).runUntilIdle();
    await started.promise;
    await clock.advance(190 * 5);
    await idle;
    expect(writes).toEqual(["1", "50", "100", "150"]);
    expect(await read(id)).toMatchObject({ state: "pending", progress: "190" });
  });

  it.each([
    ["completes", () => "done", { state: "completed" }],
    ["fails for good", () => Promise.reject(permanentFailure("no")), { state: "failed" }],
    ["is retried", () => Promise.reject(retryLater({ afterMs: LEASE_MS })), { state: "pending" }],
  ])("keeps the progress that it reported last when it %s", async (_, end, expected) => {
    const { submit, read, worker } = createStage();
    const id = await submit();
    await worker({
      orders: (_, job) => {
        job.progress("first");
        job.progress("last");
        return end();
      },
    }).runUntilIdle();
    expect(await read(id)).toMatchObject({ ...expected, progress: '"last"' });
  });

  it("writes progress again after the store failed, with the next renewal", async () => {
    let fails = true;
    const { submit, read, worker, clock } = createStage([defineOrders()], (backend) => ({
      ...backend,
      operations: replacing(backend.operations, {
        renew: async (lease, change) => {
          if (fails) throw new AsyncReplyError("STORE_UNAVAILABLE", "simulated");
          return backend.operations.renew(lease, change);
        },
      }),
    }));
    const id = await submit();
    const started = signalOf();
    const finish = signalOf();
    const idle = worker({
      orders: (_, job) => {
        job.progress("only");
        started.resolve();
        return finish.promise;
      },
    }).runUntilIdle();
    await started.promise;
    await clock.advance(1_000);
    fails = false;
    await clock.advance(LEASE_MS / 3);
    expect(await read(id)).toMatchObject({ progress: '"only"' });
    finish.resolve();
    await idle;
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

  it("learns of a cancellation that it is notified of while a renewal is under way", async () => {
    const answered = signalOf();
    const { id, signal, cancel, clock, notify, finish, working } = await startNotified(answered.promise);
    notify(id);
    expect(await cancel(id)).toBe(202);
    notify(id);
    answered.resolve();
    await clock.advance(0);
    expect(signal.reason).toMatchObject({ code: "CANCELLED" });
    finish.resolve();
    await working.stop();
  });

  it.each([
    ["of the cancellation", (id: string) => id],
    ["that notifications may have been missed", () => undefined],
  ])("learns of a cancellation without a renewal if the store notifies %s", async (_, idOf) => {
    const { id, signal, read, cancel, clock, notify, finish, working } = await startNotified();
    // A notification is only a hint: without a request, nothing happens.
    notify(id);
    await clock.advance(0);
    expect(signal.aborted).toBe(false);
    expect(await cancel(id)).toBe(202);
    notify(idOf(id));
    await clock.advance(0);
    expect(signal.reason).toMatchObject({ code: "CANCELLED" });
    finish.resolve();
    await working.stop();
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

  it("of an operation without a worker is cancelled immediately", async () => {
    const { submit, read, cancel, worker } = createStage();
    const id = await submit();
    expect(await cancel(id)).toBe(200);
    let runs = 0;
    await worker({ orders: () => (runs += 1) }).runUntilIdle();
    expect(runs).toBe(0);
    expect(await read(id)).toMatchObject({ state: "failed" });
  });

  it("that cannot be judged, because its stored errors are damaged, leaves its lease to expire", async () => {
    const { submit, read, worker, clock, events } = createStage([defineOrders()], (backend) => ({
      ...backend,
      operations: replacing(backend.operations, {
        claim: async (request) => {
          const claimed = await backend.operations.claim(request);
          const begun = claimed.begun.map(({ operation, previousLost }) => {
            const lastError = operation.attempt > 1 ? {} : { lastError: "not JSON" };
            return { operation: { ...operation, ...lastError }, previousLost };
          });
          return { ...claimed, begun };
        },
      }),
    }));
    const id = await submit();
    let calls = 0;
    const working = worker({
      orders: () => {
        calls += 1;
        if (calls === 1) throw new Error("down");
      },
    });
    await working.start();
    await clock.advance(2 * LEASE_MS);
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 2 });
    expect(events).toContainEqual(expect.objectContaining({ event: "background.failed", step: "attempt" }));
    await working.stop();
  });
});
