import { AsyncReplyError, defineOrders, permanentFailure, retryLater } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf, LEASE_MS, signalOf } from "../../support/worker-stage.js";
import { endlessWork, heldWork, runOrder, submitted, withOperations } from "../stage.js";

const orders = defineOrders({ cancellable: true });

/**
 * Starts an attempt whose store notifies only if a test calls `notify`. Renewals read the operation at once, and are
 * answered when `answered` resolves.
 */
async function startNotified(answered: Promise<void> = Promise.resolve()) {
  let onRequest: (id?: string) => void = () => {};
  const change = withOperations((operations) => ({
    watchCancellations: (watcher) => {
      onRequest = watcher;
      return () => {
        onRequest = () => {};
      };
    },
    renew: async (...request) => {
      const renewed = await operations.renew(...request);
      await answered;
      return renewed;
    },
  }));
  const stage = await submitted(createStage([orders], change));
  const work = heldWork();
  const working = stage.worker({ orders: work.run });
  await working.start();
  return {
    ...stage,
    signal: (await work.begun).signal,
    notify: (of?: string) => onRequest(of),
    finish: async () => {
      work.end();
      await working.stop();
    },
  };
}

describe("an attempt", () => {
  it("keeps its lease while it runs, for any length of time", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const work = heldWork();
    const idle = worker({ orders: work.run }).runUntilIdle();
    await work.begun;
    await clock.advance(10 * LEASE_MS);
    await worker({ orders: () => "stolen" }).runUntilIdle();
    work.end();
    await idle;
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect((await read(id)).result).toBeUndefined();
  });

  it("is aborted and counted when it exceeds its time limit, and frees its slot", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const work = heldWork();
    const options = { attemptTimeoutMs: 5_000, maxAttempts: 1, concurrency: 1 };
    const idle = worker({ orders: work.run }, options).runUntilIdle();
    const { signal } = await work.begun;
    await clock.advance(5_000);
    await idle;
    expect(signal.reason).toBeInstanceOf(AsyncReplyError);
    expect(signal.reason).toMatchObject({ code: "ATTEMPT_TIMEOUT" });
    expect(await read(id)).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(await read(id)).type).toBe(problemType("attempts-exhausted"));
  });

  it("shows its progress before the next renewal is due", async () => {
    const { id, read, worker } = await submitted(createStage());
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
    const change = withOperations((operations) => ({
      renew: (lease, change) => {
        writes.push(change.progress);
        return operations.renew(lease, change);
      },
    }));
    const { id, read, worker, clock } = await submitted(createStage([orders], change));
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
    const { operation } = await runOrder((_, job) => {
      job.progress("first");
      job.progress("last");
      return end();
    });
    expect(operation).toMatchObject({ ...expected, progress: '"last"' });
  });

  it("writes progress again after the store failed, with the next renewal", async () => {
    let fails = true;
    const change = withOperations((operations) => ({
      renew: async (lease, change) => {
        if (fails) throw new AsyncReplyError("STORE_UNAVAILABLE", "simulated");
        return operations.renew(lease, change);
      },
    }));
    const { id, read, worker, clock } = await submitted(createStage([orders], change));
    const work = heldWork();
    const idle = worker({
      orders: (order, job) => {
        job.progress("only");
        return work.run(order, job);
      },
    }).runUntilIdle();
    await work.begun;
    await clock.advance(1_000);
    fails = false;
    await clock.advance(LEASE_MS / 3);
    expect(await read(id)).toMatchObject({ progress: '"only"' });
    work.end();
    await idle;
  });

  it("learns of a cancellation through its signal, and completing beats it", async () => {
    const { id, read, cancel, worker, clock } = await submitted(createStage());
    const work = heldWork<string>();
    const idle = worker({ orders: work.run }).runUntilIdle();
    const { signal } = await work.begun;
    expect(await cancel(id)).toBe(202);
    await clock.advance(LEASE_MS / 3);
    expect(signal.reason).toMatchObject({ code: "CANCELLED" });
    work.end("done all the same");
    await idle;
    expect(await read(id)).toMatchObject({ state: "completed" });
  });

  it("learns of a cancellation that it is notified of while a renewal is under way", async () => {
    const answered = signalOf();
    const { id, signal, cancel, clock, notify, finish } = await startNotified(answered.promise);
    notify(id);
    expect(await cancel(id)).toBe(202);
    notify(id);
    answered.resolve();
    await clock.advance(0);
    expect(signal.reason).toMatchObject({ code: "CANCELLED" });
    await finish();
  });

  it.each([
    ["of the cancellation", (id: string) => id],
    ["that notifications may have been missed", () => undefined],
  ])("learns of a cancellation without a renewal if the store notifies %s", async (_, idOf) => {
    const { id, signal, read, cancel, clock, notify, finish } = await startNotified();
    // A notification is only a hint: without a request, nothing happens.
    notify(id);
    await clock.advance(0);
    expect(signal.aborted).toBe(false);
    expect(await cancel(id)).toBe(202);
    notify(idOf(id));
    await clock.advance(0);
    expect(signal.reason).toMatchObject({ code: "CANCELLED" });
    await finish();
    expect(await read(id)).toMatchObject({ state: "completed" });
  });

  it("that gives up after a cancellation ends as `cancelled` and is not retried", async () => {
    const { id, read, cancel, worker, clock } = await submitted(createStage());
    const endless = endlessWork();
    const idle = worker({ orders: endless.run }).runUntilIdle();
    await endless.begun();
    await cancel(id);
    await clock.advance(LEASE_MS / 3);
    await idle;
    expect(errorOf(await read(id)).type).toBe(problemType("cancelled"));
  });

  it("of an operation without a worker is cancelled immediately", async () => {
    const { id, read, cancel, worker } = await submitted(createStage());
    expect(await cancel(id)).toBe(200);
    let runs = 0;
    await worker({ orders: () => (runs += 1) }).runUntilIdle();
    expect(runs).toBe(0);
    expect(await read(id)).toMatchObject({ state: "failed" });
  });

  it("that cannot be judged, because its stored errors are damaged, leaves its lease to expire", async () => {
    const change = withOperations((operations) => ({
      claim: async (request) => {
        const claimed = await operations.claim(request);
        const begun = claimed.begun.map(({ operation, previousLost }) => {
          const lastError = operation.attempt > 1 ? {} : { lastError: "not JSON" };
          return { operation: { ...operation, ...lastError }, previousLost };
        });
        return { ...claimed, begun };
      },
    }));
    const { id, read, worker, clock, events } = await submitted(createStage([orders], change));
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
