import { AsyncReplyError, permanentFailure } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf } from "../support/worker-stage.js";

describe("a processor", () => {
  it("completes the operation with its return value", async () => {
    const { submit, read, worker } = createStage();
    const id = await submit({ itemId: "a", quantity: 3 });
    await worker({ orders: ({ quantity }) => ({ shipped: quantity }) }).runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1, result: '{"shipped":3}' });
  });

  it("may return nothing", async () => {
    const { submit, read, worker } = createStage();
    const id = await submit();
    await worker({ orders: () => undefined }).runUntilIdle();
    const operation = await read(id);
    expect(operation.state).toBe("completed");
    expect(operation).not.toHaveProperty("result");
  });

  it("receives the operation id, the tenant and the number of the attempt", async () => {
    const { submit, worker } = createStage();
    const id = await submit();
    const seen: unknown[] = [];
    const orders = (
      _: unknown,
      { operationId, tenant, attempt }: { operationId: string; tenant: string; attempt: number },
    ) => seen.push({ operationId, tenant, attempt });
    await worker({ orders }).runUntilIdle();
    expect(seen).toEqual([{ operationId: id, tenant: "anonymous", attempt: 1 }]);
  });

  it("is retried after a delay with full jitter until it succeeds", async () => {
    const { submit, read, worker, clock, events } = createStage();
    const id = await submit();
    const working = worker({
      orders: (_, { attempt }) => {
        if (attempt < 3) throw new Error("not yet");
      },
    });
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    await clock.advance(1_000);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 2 });
    await clock.advance(2_000);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 3 });
    const delays = events.flatMap((event) => (event.event === "operation.retried" ? [event.delayMs] : []));
    expect(delays).toEqual([500, 1_000]);
  });

  it("fails the operation after the last attempt and reveals no internals to the client", async () => {
    const { submit, read, worker, clock } = createStage();
    const id = await submit();
    const working = worker(
      {
        orders: () => {
          throw new Error("connect ECONNREFUSED 10.0.0.3:5432");
        },
      },
      { maxAttempts: 2 },
    );
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
    const { submit, read, worker } = createStage();
    const id = await submit();
    await worker({
      orders: () => {
        throw permanentFailure("The item is no longer made.");
      },
    }).runUntilIdle();
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(operation)).toMatchObject({
      type: problemType("work-failed"),
      detail: "The item is no longer made.",
    });
  });

  it("recognizes a permanent failure from another copy of the package", async () => {
    const { submit, read, worker } = createStage();
    const id = await submit();
    const foreign = Object.assign(new Error("x"), {
      code: "PERMANENT_FAILURE",
      detail: "Sold out.",
      context: {},
    });
    Object.defineProperty(foreign, Symbol.for("async-request-reply.error"), { value: foreign });
    expect(foreign).not.toBeInstanceOf(AsyncReplyError);
    await worker({
      orders: () => {
        throw foreign;
      },
    }).runUntilIdle();
    expect(errorOf(await read(id)).detail).toBe("Sold out.");
  });
});
