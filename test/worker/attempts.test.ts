import { AsyncReplyError, permanentFailure } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf } from "../support/worker-stage.js";
import { failing, runOrder, submitted } from "./stage.js";

describe("a processor", () => {
  it("completes the operation with its return value", async () => {
    const { submit, read, worker } = createStage();
    const id = await submit({ itemId: "a", quantity: 3 });
    await worker({ orders: ({ quantity }) => ({ shipped: quantity }) }).runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1, result: '{"shipped":3}' });
  });

  it("may return nothing", async () => {
    const { operation } = await runOrder(() => undefined);
    expect(operation.state).toBe("completed");
    expect(operation).not.toHaveProperty("result");
  });

  it("receives the operation id, the tenant and the number of the attempt", async () => {
    const seen: unknown[] = [];
    const { id } = await runOrder((_, { operationId, tenant, attempt }) =>
      seen.push({ operationId, tenant, attempt }),
    );
    expect(seen).toEqual([{ operationId: id, tenant: "anonymous", attempt: 1 }]);
  });

  it("is retried after a delay with full jitter until it succeeds", async () => {
    const { id, read, worker, clock, events } = await submitted(createStage());
    const working = worker({
      orders: (_, { attempt }) => {
        if (attempt < 3) throw new Error("not yet");
      },
    });
    for (const [ms, state, attempt] of [
      [0, "pending", 1],
      [1_000, "pending", 2],
      [2_000, "completed", 3],
    ] as const) {
      await clock.advance(ms);
      await working.runUntilIdle();
      expect(await read(id)).toMatchObject({ state, attempt });
    }
    const delays = events.flatMap((event) => (event.event === "operation.retried" ? [event.delayMs] : []));
    expect(delays).toEqual([500, 1_000]);
  });

  it("fails the operation after the last attempt and reveals no internals to the client", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const orders = failing(new Error("connect ECONNREFUSED 10.0.0.3:5432"));
    const working = worker({ orders }, { maxAttempts: 2 });
    await working.runUntilIdle();
    await clock.advance(1_000);
    await working.runUntilIdle();
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 2 });
    expect(errorOf(operation)).toMatchObject({
      type: problemType("attempts-exhausted"),
      detail: "The work did not succeed in 2 attempts.",
    });
    expect(operation.error).not.toContain("ECONNREFUSED");
  });

  it("fails the operation immediately with a permanent failure, and the client reads its reason", async () => {
    const { operation } = await runOrder(failing(permanentFailure("The item is no longer made.")));
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(operation)).toMatchObject({
      type: problemType("work-failed"),
      detail: "The item is no longer made.",
    });
  });

  it("recognizes a permanent failure from another copy of the package", async () => {
    const members = { code: "PERMANENT_FAILURE", detail: "Sold out.", context: {} };
    const foreign = Object.assign(new Error("x"), members);
    Object.defineProperty(foreign, Symbol.for("async-request-reply.error"), { value: foreign });
    expect(foreign).not.toBeInstanceOf(AsyncReplyError);
    const { operation } = await runOrder(failing(foreign));
    expect(errorOf(operation).detail).toBe("Sold out.");
  });
});
