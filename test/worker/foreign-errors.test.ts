import { AsyncReplyError, type ErrorCode } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf, LEASE_MS } from "../support/worker-stage.js";
import { endlessWork, heldWork, runOrder, submitted } from "./stage.js";

const backoff = { baseMs: 1_000, maxMs: 1_000 };

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
    const { id, read, worker, clock, events } = await submitted(createStage());
    let calls = 0;
    const orders = (): never => {
      calls += 1;
      throw new AsyncReplyError(code, "It was about another attempt.");
    };
    const working = worker({ orders }, { maxAttempts: 2, backoff });
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    expect(calls).toBe(1);
    await clock.advance(1_000);
    await working.runUntilIdle();
    expect(errorOf(await read(id)).type).toBe(problemType("attempts-exhausted"));
    expect(events.map(({ event }) => event)).toEqual([
      "operation.accepted",
      ...["operation.started", "operation.retried"],
      ...["operation.started", "operation.failed"],
    ]);
  });

  it("is retried after its backoff if a shared promise was rejected when another worker stopped", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const held = heldWork();
    const stopping = worker({ orders: held.run }, { drainTimeoutMs: 1 });
    await stopping.start();
    const { signal } = await held.begun;
    const stopped = stopping.stop();
    await clock.advance(1);
    await stopped;
    expect(signal.reason).toMatchObject({ code: "WORKER_STOPPED" });

    let calls = 0;
    const orders = (): Promise<never> => {
      calls += 1;
      return Promise.reject(signal.reason);
    };
    await worker({ orders }, { backoff }).runUntilIdle();
    expect([calls, (await read(id)).attempt]).toEqual([1, 1]);
  });

  it("still fails immediately if the store refused data of the same attempt", async () => {
    const { operation } = await runOrder(() => 1n);
    expect(errorOf(operation).type).toBe(problemType("invalid-result"));
  });

  it("still releases its attempt when its own worker stops", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const endless = endlessWork();
    const working = worker({ orders: endless.run }, { drainTimeoutMs: LEASE_MS });
    await working.start();
    await endless.begun();
    const stopped = working.stop();
    await clock.advance(LEASE_MS);
    await stopped;
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
  });
});
