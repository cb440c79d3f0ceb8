import { AsyncReplyError, defineOrders, type Job, permanentFailure, retryLater } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf } from "../../support/worker-stage.js";
import { reasonOf, submitted, withOperations } from "../stage.js";

const orders = defineOrders();

const refusal = (): AsyncReplyError =>
  new AsyncReplyError("INTERNAL", "The database cannot store this data.");

function refuseUnlessAscii(data: unknown): void {
  if (/[^ -~]/.test(JSON.stringify(data))) throw refusal();
}

/** A store whose database has no place for anything but ASCII, like some encodings of databases. */
const inAscii = withOperations((operations) => ({
  settle: async (lease, settlement) => {
    refuseUnlessAscii(settlement);
    return operations.settle(lease, settlement);
  },
  renew: async (lease, renewal) => {
    refuseUnlessAscii(renewal);
    return operations.renew(lease, renewal);
  },
}));

const REFUSED = "The store refused the text of this error.";

describe("an ending that the store refuses", () => {
  const stageOf = () => submitted(createStage([orders], inAscii));

  it("is retried and fails as usual if the store refuses only the error, in no more attempts", async () => {
    const { id, read, worker, clock, events } = await stageOf();
    const backoff = { baseMs: 1_000, maxMs: 1_000 };
    const attempts: number[] = [];
    const run = (_: unknown, { attempt }: Job): never => {
      attempts.push(attempt);
      throw new Error("no 🦊");
    };
    const working = worker({ orders: run }, { maxAttempts: 3, backoff });
    for (const attempt of [1, 2]) {
      await working.runUntilIdle();
      const operation = await read(id);
      expect(operation).toMatchObject({ state: "pending", attempt });
      expect(reasonOf(operation)).toMatchObject({ attempt, detail: REFUSED });
      await clock.advance(1_000);
    }
    await working.runUntilIdle();
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 3 });
    expect(errorOf(operation)).toMatchObject({
      type: problemType("attempts-exhausted"),
      detail: "The work did not succeed in 3 attempts.",
    });
    const earlier = [{ attempt: 2 }, { attempt: 1 }];
    expect(reasonOf(operation)).toMatchObject({ attempt: 3, detail: REFUSED, earlier });
    expect(attempts).toEqual([1, 2, 3]);
    expect(events.at(-1)).toMatchObject({ event: "operation.failed", error: { message: "no 🦊" } });
  });

  it("keeps its problem type without its detail if the store refuses what a client may see", async () => {
    const { id, read, worker } = await stageOf();
    await worker({ orders: () => Promise.reject(permanentFailure("sold out 🦊")) }).runUntilIdle();
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(operation)).toMatchObject({
      type: problemType("work-failed"),
      detail: "The work failed, but the store refused the reason.",
    });
  });

  it("keeps the delay of a retry", async () => {
    const { id, read, worker, clock } = await stageOf();
    const working = worker({
      orders: (_, { attempt }) => {
        if (attempt === 1) throw retryLater({ afterMs: 5_000, cause: new Error("busy 🦊") });
      },
    });
    await working.runUntilIdle();
    await clock.advance(4_999);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    await clock.advance(1);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("is stored without the progress if the store refuses only that", async () => {
    const { id, read, worker } = await stageOf();
    await worker({
      orders: (_, { progress }) => {
        progress("🦊");
        return "done";
      },
    }).runUntilIdle();
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "completed", result: '"done"' });
    expect(operation.progress).toBeUndefined();
  });

  it("is a failure if the store refuses the result", async () => {
    const { id, read, worker } = await stageOf();
    await worker({ orders: () => "🦊" }).runUntilIdle();
    expect(errorOf(await read(id))).toMatchObject({
      type: problemType("invalid-result"),
      detail: "The work was done, but the store refused its result.",
    });
  });

  it("is left to the end of the lease if the store refuses every ending", async () => {
    const refusing = withOperations(() => ({ settle: () => Promise.reject(refusal()) }));
    const stage = await submitted(createStage([orders], refusing));
    await stage.worker({ orders: () => Promise.reject(permanentFailure("no")) }).runUntilIdle();
    expect(await stage.read(stage.id)).toMatchObject({ state: "pending", attempt: 1 });
    expect(stage.events.at(-1)).toMatchObject({ event: "attempt.lost" });
  });
});
