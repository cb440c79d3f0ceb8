import { AsyncReplyError, type ErrorCode, type ServiceEvent } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf, LEASE_MS, signalOf } from "../support/worker-stage.js";

/** Returns the names of an operation's events after it was accepted. */
function eventNames(events: readonly ServiceEvent[]): readonly string[] {
  return events.map(({ event }) => event).filter((event) => event !== "operation.accepted");
}

describe("a processor that throws an error of this package from another attempt", () => {
  it.each<ErrorCode>([
    "WORKER_STOPPED",
    "LEASE_LOST",
    "INPUT_REFUSED",
    "INVALID_RESULT",
    "NO_TRANSACTIONS",
    "ATTEMPT_TIMEOUT",
    "CANCELLED",
    "STORE_UNAVAILABLE",
  ])("fails this attempt like any other error: %s", async (code) => {
    const { submit, read, worker, clock, events } = createStage();
    const id = await submit();
    let calls = 0;
    const working = worker(
      {
        orders: () => {
          calls += 1;
          throw new AsyncReplyError(code, "It was about another attempt.");
        },
      },
      { maxAttempts: 2, backoff: { baseMs: 1_000, maxMs: 1_000 } },
      () => 0.5,
    );
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    expect(calls).toBe(1);
    await clock.advance(1_000);
    await working.runUntilIdle();
    expect(errorOf(await read(id)).type).toBe(problemType("attempts-exhausted"));
    expect(eventNames(events)).toEqual([
      ...["operation.started", "operation.retried"],
      ...["operation.started", "operation.failed"],
    ]);
  });

  it("is retried after its backoff if a shared promise was rejected when another worker stopped", async () => {
    const { submit, read, worker, clock } = createStage();
    const first = await submit();
    const started = signalOf<AbortSignal>();
    const stopping = worker(
      {
        orders: (_, { signal }) => {
          started.resolve(signal);
          return new Promise(() => {});
        },
      },
      { drainTimeoutMs: 1 },
    );
    await stopping.start();
    const signal = await started.promise;
    const stopped = stopping.stop();
    await clock.advance(1);
    await stopped;
    expect(signal.reason).toMatchObject({ code: "WORKER_STOPPED" });

    let calls = 0;
    const backoff = { baseMs: 1_000, maxMs: 1_000 };
    const working = worker(
      {
        orders: () => {
          calls += 1;
          return Promise.reject(signal.reason);
        },
      },
      { backoff },
      () => 0.5,
    );
    await working.runUntilIdle();
    expect([calls, (await read(first)).attempt]).toEqual([1, 1]);
  });

  it("still fails immediately if the store refused data of the same attempt", async () => {
    const { submit, read, worker } = createStage();
    const id = await submit();
    await worker({ orders: () => 1n }).runUntilIdle();
    expect(errorOf(await read(id)).type).toBe(problemType("invalid-result"));
  });

  it("still releases its attempt when its own worker stops", async () => {
    const { submit, read, worker, clock } = createStage();
    const id = await submit();
    const started = signalOf();
    const working = worker(
      {
        orders: (_, { signal }) => {
          started.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          });
        },
      },
      { drainTimeoutMs: LEASE_MS },
    );
    await working.start();
    await started.promise;
    const stopped = working.stop();
    await clock.advance(LEASE_MS);
    await stopped;
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
  });
});
