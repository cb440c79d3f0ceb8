import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { createCounters } from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks, type WebhookEndpoint, webhookDeliveries } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { createConsoleStage } from "./stage.js";

const MINUTE_MS = 60_000;

/** A duration that is at most 12 % too high. */
const about = (ms: number): unknown =>
  expect.toSatisfy((measured: number) => measured >= ms && measured <= 1.12 * ms + 1);

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
        operationId: "0198c1e2-7d4e-7c35-b6d2-5b2f1a3c9e0f",
        definition,
        tenant: "t",
        attempt: 1,
        createdAt: clock.now() - tookMs,
      }),
  };
}

const orders = defineOrders({ startWithinMs: 10 * MINUTE_MS });
const order = { itemId: "pen", quantity: 1 };

/** Counters of a service, a worker and an operator, on a manual clock. Orders fail until they are mended. */
function createRealStage(answers: readonly number[] = [], endpoint?: WebhookEndpoint) {
  const clock = createManualClock();
  const counters = createCounters({ clock, observe: false });
  const backend = createMemoryBackend({ clock });
  const statuses = [...answers];
  const webhooks = createWebhooks({
    endpoint: () => endpoint,
    sign: () => "v1,signed",
    send: async () => ({ status: statuses.shift() ?? 200 }),
  });
  const shared = { backend, runtime: { clock }, observe: counters.observe };
  const service = createService({ definitions: [orders], webhooks, ...shared });
  let mended = false;
  const worker = createWorker(service, {
    orders: () => {
      if (!mended) throw permanentFailure("It is sold out.");
    },
  });
  const operator = createOperator({ definitions: [orders, webhookDeliveries], ...shared });
  return {
    clock,
    service,
    submit: async () => (await service.submit(orders, order)).operationId,
    work: () => worker.runUntilIdle(),
    mend: () => {
      mended = true;
    },
    redriveAll: (definition: "orders" | "webhook.delivery") =>
      operator.redrive({ definition, internal: true }, { perSecond: 1_000 }),
    counted: () => counters.read().definitions,
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
    const minute = (): Date => new Date(Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS);
    const first = minute();
    end("operation.completed", 10);
    await clock.advance(30 * MINUTE_MS);
    const second = minute();
    end("operation.failed", 10);
    end("operation.expired", 10, "reports");
    end("operation.completed", 10, "reports");
    const times = { medianMs: expect.any(Number), p95Ms: expect.any(Number) };
    expect(counters.read()).toEqual({
      countedMs: 30 * MINUTE_MS,
      definitions: [
        { definition: "orders", completed: 1, failed: 1, ...times },
        { definition: "reports", completed: 1, failed: 1, ...times },
      ],
      series: [
        { at: first, definition: "orders", completed: 1, failed: 0 },
        { at: second, definition: "orders", completed: 0, failed: 1 },
        { at: second, definition: "reports", completed: 1, failed: 1 },
      ],
    });
    await clock.advance(30 * MINUTE_MS);
    expect(counters.read()).toMatchObject({
      countedMs: 60 * MINUTE_MS,
      definitions: [{ definition: "orders", completed: 0, failed: 1 }, { definition: "reports" }],
    });
    await clock.advance(30 * MINUTE_MS);
    expect(counters.read()).toEqual({ countedMs: 60 * MINUTE_MS, definitions: [], series: [] });
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
    const { operationId } = await service.submit(definitions[0], order);
    const worker = createWorker(service, {
      orders: async (_, { signal }) => {
        const aborted = new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
        );
        await service.cancel(definitions[0], operationId);
        await aborted;
      },
    });
    await worker.start();
    const result = service.result(definitions[0], operationId);
    await expect(result).rejects.toMatchObject({ code: "OPERATION_CANCELLED" });
    await service.close();
    expect(counters.read().definitions).toEqual([]);
  });

  it("measure a redrive from when an operator asked for it", async () => {
    const { clock, submit, work, mend, redriveAll, counted } = createRealStage();
    await submit();
    await clock.advance(9 * MINUTE_MS);
    await work();
    expect(counted()).toMatchObject([{ definition: "orders", failed: 1, medianMs: about(9 * MINUTE_MS) }]);
    await clock.advance(60 * MINUTE_MS);
    mend();
    await redriveAll("orders");
    await work();
    expect(counted()).toMatchObject([{ definition: "orders", completed: 1, failed: 0, p95Ms: 1 }]);
  });

  it("measure an operation that expires from when it was accepted", async () => {
    const { clock, submit, redriveAll, work, counted } = createRealStage();
    await submit();
    await clock.advance(11 * MINUTE_MS);
    await work();
    await clock.advance(120 * MINUTE_MS);
    await redriveAll("orders");
    await clock.advance(11 * MINUTE_MS);
    await work();
    expect(counted()).toMatchObject([{ definition: "orders", failed: 1, p95Ms: about(11 * MINUTE_MS) }]);
  });

  it("measure a webhook from the end that it announces", async () => {
    const { clock, submit, work, counted } = createRealStage([], { url: "https://example.com/" });
    await submit();
    await clock.advance(9 * MINUTE_MS);
    await work();
    expect(counted()).toMatchObject([
      { failed: 1 },
      { definition: "webhook.delivery", completed: 1, p95Ms: 1 },
    ]);
  });

  it("measure a webhook that is delivered again from when an operator asked for it", async () => {
    const { clock, submit, work, redriveAll, counted } = createRealStage([410], {
      url: "https://example.com/",
    });
    await submit();
    await work();
    expect(counted()).toMatchObject([
      {},
      { definition: "webhook.delivery", completed: 0, failed: 1, p95Ms: 1 },
    ]);
    await clock.advance(60 * MINUTE_MS);
    await redriveAll("webhook.delivery");
    await work();
    expect(counted()).toMatchObject([{ definition: "webhook.delivery", completed: 1, failed: 0, p95Ms: 1 }]);
  });

  it("do not count a webhook of a tenant without an endpoint", async () => {
    const { submit, work, counted } = createRealStage();
    await submit();
    await work();
    expect(counted()).toMatchObject([{ definition: "orders", failed: 1 }]);
    expect(counted()).toHaveLength(1);
  });

  it("ignore all other events", () => {
    const { counters } = createStage();
    counters.observe({ event: "operation.purged", count: 1 });
    expect(counters.read().definitions).toEqual([]);
  });

  it("are part of the overview if the console has them", async () => {
    const { counters, end } = createStage();
    end("operation.completed", 10);
    const { read } = createConsoleStage("observe", { counters });
    expect(await read("/api/overview")).toMatchObject({ lastHour: { definitions: [{ completed: 1 }] } });
  });
});
