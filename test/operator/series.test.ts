import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type ServiceEvent,
  withQueue,
} from "async-request-reply";
import { createObjectsOperator } from "async-request-reply/durable-objects";
import { createOperator } from "async-request-reply/operator";
import type { MinuteRow } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const orders = defineOperation({ name: "orders", path: "/orders", input: z.unknown() });
const limited = defineOperation({
  name: "limited",
  path: "/limited",
  input: z.unknown(),
  limits: { pending: 1 },
});
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A store of minutes that keeps what is written. */
function openStage(
  alter: (minutes: Required<Backend>["minutes"]) => Partial<Backend["minutes"]> = () => ({}),
) {
  const clock = createManualClock();
  const memory = createMemoryBackend({ clock });
  const written: MinuteRow[][] = [];
  const altered = { ...memory.minutes, ...alter(memory.minutes) };
  const minutes: typeof memory.minutes = {
    ...altered,
    write: (rows) => {
      written.push([...rows]);
      return altered.write(rows);
    },
  };
  const backend = { ...memory, minutes };
  const events: ServiceEvent[] = [];
  const shared = { runtime: { clock }, observe: (event: ServiceEvent) => void events.push(event) };
  const definitions = [orders, limited] as const;
  const service = createService({ definitions, backend, ...shared });
  const operator = createOperator({ backend, definitions, ...shared });
  const range = () => ({ from: new Date(clock.now() - HOUR_MS), to: new Date(clock.now() + HOUR_MS) });
  /** Returns the sums over all steps. */
  const sums = async (definition: "orders" | "limited" = "orders") => {
    const [step, ...rest] = await operator.series({ definition, ...range(), stepMs: 24 * HOUR_MS });
    expect(rest).toEqual([]);
    return step;
  };
  return { clock, backend, service, operator, events, written, range, sums };
}

/** Expects a duration that is up to 12 % too high. */
function expectAbout(actual: number | undefined, ms: number): void {
  expect(actual).toBeGreaterThanOrEqual(ms);
  expect(actual).toBeLessThanOrEqual(ms * 1.12);
}

describe("the series of an operator", () => {
  it("has what was accepted, started and ended, and how long it took", async () => {
    const { clock, service, sums } = openStage();
    const worker = createWorker(
      service,
      {
        orders: async (input) => {
          await new Promise<void>((resolve) => clock.schedule(2_000, resolve));
          if (input === "fails") throw new Error("no");
        },
      },
      { backoff: { baseMs: 1, maxMs: 1 }, maxAttempts: 2 },
    );
    await service.submit(orders, "works");
    await service.submit(orders, "fails");
    await clock.advance(1_000);
    await worker.start();
    await clock.advance(20_000);
    await worker.stop();
    const step = await sums();
    expect(step).toMatchObject({
      ...{ accepted: 2, started: 3, completed: 1, failed: 1, cancelled: 0, retried: 1, lost: 0, refused: 0 },
      served: true,
    });
    expectAbout(step?.waiting?.p50Ms, 1_000);
    expectAbout(step?.waiting?.p99Ms, 1_000);
    expectAbout(step?.running?.p99Ms, 2_000);
    expectAbout(step?.total?.p50Ms, 3_000);
    expect(step?.total?.p99Ms).toBeGreaterThanOrEqual(5_000);
  });

  it("counts cancellations apart from failures, whether an attempt ran or not", async () => {
    const { clock, service, operator, sums } = openStage();
    const waiting = await service.submit(orders, 1);
    await operator.cancel(waiting.operationId);
    const running = await service.submit(orders, 2);
    const worker = createWorker(service, {
      orders: async (_input, job) => {
        const aborted = new Promise((resolve) => job.signal.addEventListener("abort", resolve));
        await operator.cancel(running.operationId);
        await aborted;
        throw new Error("It was interrupted.");
      },
    });
    await worker.start();
    await clock.advance(30_000);
    await worker.stop();
    expect(await operator.get(running.operationId)).toMatchObject({ status: "failed" });
    expect(await sums()).toMatchObject({ accepted: 2, started: 1, failed: 0, cancelled: 2, retried: 0 });
    expect((await sums())?.total).toBeUndefined();
  });

  it("counts submissions over the limit of the backlog as refused", async () => {
    const { service, sums } = openStage();
    await service.submit(limited, 1);
    await expect(service.submit(limited, 2)).rejects.toMatchObject({ code: "BACKLOG_FULL" });
    await service.close();
    expect(await sums("limited")).toMatchObject({ accepted: 1, refused: 1 });
  });

  it("counts each event once, though a service, its worker and an operator share the store", async () => {
    const { backend, service, operator, clock, sums, events } = openStage();
    const source = { definitions: [orders, limited] as const, backend: withQueue(backend, backend.queue) };
    const other = createWorker({ ...source, runtime: { clock }, observe: false }, { limited: () => {} });
    const worker = createWorker(service, { orders: () => {} });
    await service.submit(orders, 1);
    await service.submit(limited, 1);
    await worker.runUntilIdle();
    await other.runUntilIdle();
    await service.close();
    expect(events.filter(({ event }) => event === "operation.completed")).toHaveLength(1);
    expect(await sums()).toMatchObject({ accepted: 1, started: 1, completed: 1 });
    expect(await sums("limited")).toMatchObject({ accepted: 1, started: 1, completed: 1 });
    expect(operator.definitions).toEqual(["orders", "limited"]);
  });

  it("counts redrives as accepted", async () => {
    const { service, operator, clock, sums } = openStage();
    const { operationId } = await service.submit(orders, 1);
    const worker = createWorker(
      service,
      { orders: () => Promise.reject(new Error("no")) },
      { maxAttempts: 1 },
    );
    await worker.runUntilIdle();
    await operator.redrive(operationId);
    await worker.runUntilIdle();
    await clock.advance(10_000);
    expect(await sums()).toMatchObject({ accepted: 2, started: 2, failed: 2 });
  });

  it("has deliveries of webhooks under their own name", async () => {
    const { backend, clock } = openStage();
    const webhooks = createWebhooks({ endpoint: async () => undefined });
    const shared = { backend, runtime: { clock }, observe: false as const };
    const service = createService({ definitions: [orders], webhooks, ...shared });
    const operator = createOperator({ definitions: [orders, webhooks.definition], ...shared });
    await service.submit(orders, 1);
    await createWorker(service, { orders: () => {} }).runUntilIdle();
    const now = new Date(clock.now());
    const steps = await operator.series({ from: now, to: new Date(clock.now() + 1), stepMs: MINUTE_MS });
    expect(steps.map(({ definition, completed, served }) => [definition, completed, served])).toEqual([
      ["orders", 1, true],
      ["webhook.delivery", 1, true],
    ]);
  });

  it("names in each minute what a worker serves, while it is idle too, and no longer once it is stopped", async () => {
    const { clock, service, operator, range, written } = openStage();
    const worker = createWorker(service, { orders: () => {} });
    await clock.advance(30_000);
    await worker.start();
    await clock.advance(10 * MINUTE_MS);
    expect(written.length).toBeLessThanOrEqual(12);
    await worker.stop();
    const steps = await operator.series({ ...range(), stepMs: MINUTE_MS });
    expect(steps).toHaveLength(11);
    for (const step of steps) expect(step).toMatchObject({ definition: "orders", served: true, accepted: 0 });
    const { length } = written;
    await clock.advance(10 * MINUTE_MS);
    expect(written).toHaveLength(length);
  });

  it("is in the order of time and then of the definitions, in steps of which the first begins with the minute of the start", async () => {
    const { clock, service, operator } = openStage();
    await clock.advance(30 * MINUTE_MS);
    for (let hour = 0; hour < 3; hour += 1) {
      await service.submit(orders, hour);
      if (hour === 1) await service.submit(limited, hour);
      await clock.advance(HOUR_MS);
    }
    const start = clock.now() - (clock.now() % HOUR_MS) - 3 * HOUR_MS;
    const read = async (from: number, to: number, stepMs: number) => {
      const steps = await operator.series({ from: new Date(from), to: new Date(to), stepMs });
      return steps.map((step) => [(step.start.getTime() - start) / HOUR_MS, step.definition, step.accepted]);
    };
    expect(await read(start, clock.now(), HOUR_MS)).toEqual([
      [0, "orders", 1],
      [1, "orders", 1],
      [1, "limited", 1],
      [2, "orders", 1],
    ]);
    const [from, to] = [start + HOUR_MS / 2 + 1, start + HOUR_MS * 1.5];
    expect(await read(from, to, HOUR_MS)).toEqual([[0.5, "orders", 1]]);
    expect(await read(from, to + 1, HOUR_MS)).toEqual([
      [0.5, "orders", 1],
      [1.5, "orders", 1],
      [1.5, "limited", 1],
    ]);
    expect(await read(start, start + HOUR_MS, MINUTE_MS)).toEqual([[0.5, "orders", 1]]);
  });

  const time = new Date(0);
  it.each([
    ["a step that is no multiple of a minute", "`stepMs`", { from: time, to: new Date(1), stepMs: 90_000 }],
    ["no step", "`stepMs`", { from: time, to: new Date(1), stepMs: undefined as never }],
    ["a step of 0", "`stepMs`", { from: time, to: new Date(1), stepMs: 0 }],
    [
      "a range that ends before it begins",
      "`to`",
      { from: new Date(MINUTE_MS), to: time, stepMs: MINUTE_MS },
    ],
    ["an empty range", "`to`", { from: time, to: time, stepMs: MINUTE_MS }],
    ["no dates", "`from`", { from: 0 as never, to: 1 as never, stepMs: MINUTE_MS }],
    ["too many steps", "2001 steps", { from: time, to: new Date(2_001 * MINUTE_MS), stepMs: MINUTE_MS }],
    [
      "an unknown definition",
      "Unknown definition",
      { definition: "other" as never, from: time, to: new Date(1), stepMs: MINUTE_MS },
    ],
  ])("refuses %s", async (_, said, options) => {
    const { operator } = openStage();
    await expect(operator.series(options)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringContaining(said),
    });
  });

  it("accepts 2,000 steps", async () => {
    const { operator } = openStage();
    const options = { from: time, to: new Date(2_000 * MINUTE_MS), stepMs: MINUTE_MS };
    expect(await operator.series(options)).toEqual([]);
  });

  it("is refused by the operator of Durable Objects", async () => {
    const namespace = { idFromName: () => ({}), get: () => ({}) } as never;
    const operator = createObjectsOperator({
      objects: namespace,
      directory: namespace,
      definitions: [orders],
    });
    await expect(operator.series({ from: time, to: new Date(1), stepMs: MINUTE_MS })).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
      detail: expect.stringContaining("metrics"),
    });
  });

  it("is refused by a back end without minutes", async () => {
    const { minutes: _, ...backend } = createMemoryBackend();
    const operator = createOperator({ backend, definitions: [orders] });
    await expect(operator.series({ from: time, to: new Date(1), stepMs: MINUTE_MS })).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
    });
  });
});
