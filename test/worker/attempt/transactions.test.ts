import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type ServiceEvent,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../support/worker-stage.js";
import { runOrder } from "../stage.js";

describe("a transaction on a back end that shares none", () => {
  it("fails the operation immediately, and only the observer learns the reason", async () => {
    let ran = false;
    const { operation, events } = await runOrder((_, job) =>
      job.transaction(() => {
        ran = true;
      }),
    );
    expect([operation.state, operation.attempt, ran]).toEqual(["failed", 1, false]);
    expect(errorOf(operation)).toMatchObject({
      type: problemType("work-failed"),
      detail: "This service cannot do the work.",
    });
    const failed = events.find(({ event }) => event === "operation.failed");
    expect(failed).toMatchObject({
      error: { code: "NO_TRANSACTIONS", detail: expect.stringContaining("shares no transactions") },
    });
  });

  it("can be caught by a processor that works without one", async () => {
    const { operation } = await runOrder(async (_, job) =>
      job.transaction(() => "within").catch(({ code }: { code: string }) => code),
    );
    expect(operation).toMatchObject({ state: "completed", result: '"NO_TRANSACTIONS"' });
  });

  it("is refused to a caller that submits in one", async () => {
    const events: ServiceEvent[] = [];
    const service = createOrderService<unknown>({
      backend: createMemoryBackend(),
      authorize: allowAnonymous(),
      observe: (event) => events.push(event),
    });
    const order = { itemId: "book", quantity: 1 };
    const submitting = service.submit(service.definitions[0], order, { tenant: "anonymous", tx: {} });
    await expect(submitting).rejects.toMatchObject({ code: "NO_TRANSACTIONS" });
    await createWorker(service, { orders: () => {} }).runUntilIdle();
    expect(events).toEqual([]);
  });
});
