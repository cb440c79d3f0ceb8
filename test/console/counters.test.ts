import { createService, createWorker, defineOrders, type ServiceEvent } from "async-request-reply";
import { createCounters } from "async-request-reply/console";
import { createManualClock } from "async-request-reply/testing";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { createConsoleStage } from "./stage.js";

const MINUTE_MS = 60_000;

/** Counters on a manual clock. `end` reports the end of an operation that was accepted `tookMs` ago. */
function createStage() {
  const clock = createManualClock();
  const events: ServiceEvent[] = [];
  const counters = createCounters({ clock, observe: (event) => events.push(event) });
  return {
    clock,
    counters,
    events,
    end: (
      event: "operation.completed" | "operation.failed" | "operation.expired",
      tookMs: number,
      definition = "orders",
    ) =>
      counters.observe({
        event,
        operationId: v7({ msecs: clock.now() - tookMs }),
        definition,
        tenant: "t",
        attempt: 1,
      }),
  };
}

describe("counters", () => {
  it("pass every event on", () => {
    const { counters, events, end } = createStage();
    end("operation.completed", 10);
    counters.observe({ event: "operation.purged", count: 1 });
    expect(events.map(({ event }) => event)).toEqual(["operation.completed", "operation.purged"]);
  });

  it("count what ended in the last hour, by definition", async () => {
    const { clock, counters, end } = createStage();
    end("operation.completed", 10);
    await clock.advance(30 * MINUTE_MS);
    end("operation.failed", 10);
    end("operation.expired", 10, "reports");
    end("operation.completed", 10, "reports");
    const about = { medianMs: expect.any(Number), p95Ms: expect.any(Number) };
    expect(counters.read()).toEqual({
      countedMs: 30 * MINUTE_MS,
      definitions: [
        { definition: "orders", completed: 1, failed: 1, ...about },
        { definition: "reports", completed: 1, failed: 1, ...about },
      ],
    });
    await clock.advance(30 * MINUTE_MS);
    expect(counters.read()).toMatchObject({
      countedMs: 60 * MINUTE_MS,
      definitions: [{ definition: "orders", completed: 0, failed: 1 }, { definition: "reports" }],
    });
    await clock.advance(30 * MINUTE_MS);
    expect(counters.read()).toEqual({ countedMs: 60 * MINUTE_MS, definitions: [] });
  });

  it("measure the time from acceptance to end, at most 12 % too high", () => {
    const { counters, end } = createStage();
    for (let tookMs = 1; tookMs <= 1_000; tookMs += 1) end("operation.completed", tookMs);
    const [{ medianMs = 0, p95Ms = 0 } = {}] = counters.read().definitions;
    expect(medianMs / 500).toBeGreaterThanOrEqual(1);
    expect(medianMs / 500).toBeLessThanOrEqual(1.12);
    expect(p95Ms / 950).toBeGreaterThanOrEqual(1);
    expect(p95Ms / 950).toBeLessThanOrEqual(1.12);
  });

  it("survive ends from the future and from years ago", () => {
    const { counters, end } = createStage();
    end("operation.completed", -MINUTE_MS);
    end("operation.completed", 400 * 24 * 60 * MINUTE_MS);
    expect(counters.read().definitions).toMatchObject([{ completed: 2, medianMs: 1 }]);
  });

  it("do not count a cancelled operation as failed", async () => {
    const counters = createCounters({ observe: false });
    const definitions = [defineOrders()] as const;
    const service = createService({ definitions, observe: counters.observe });
    const submitted = await service.submit(definitions[0], { itemId: "pen", quantity: 1 });
    const worker = createWorker(service, {
      orders: async (_, job) => {
        const { signal } = job;
        const aborted = new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
        );
        await service.cancel(definitions[0], submitted.operationId);
        await aborted;
      },
    });
    await worker.start();
    await expect(service.result(definitions[0], submitted.operationId)).rejects.toMatchObject({
      code: "OPERATION_CANCELLED",
    });
    await service.close();
    expect(counters.read().definitions).toEqual([]);
  });

  it("ignore all other events", () => {
    const { counters } = createStage();
    const other: ServiceEvent = { event: "operation.purged", count: 1 };
    counters.observe(other);
    expect(counters.read().definitions).toEqual([]);
  });

  it("are part of the overview if the console has them", async () => {
    const { counters, end } = createStage();
    end("operation.completed", 10);
    const { read } = createConsoleStage("observe", { counters });
    expect(await read("/api/overview")).toMatchObject({ lastHour: { definitions: [{ completed: 1 }] } });
  });
});
