import {
  allowAnonymous,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  withStores,
} from "async-request-reply";
import type { OperationLimits } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const input = z.object({ number: z.int() });

function stage(limits: OperationLimits, { random = 0 } = {}) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  let counts = 0;
  const { operations } = backend;
  const countPending = operations.countPending?.bind(operations);
  operations.countPending = async (requests) => {
    counts += 1;
    return (await countPending?.(requests)) ?? [];
  };
  const jobs = defineOperation({ name: "jobs", path: "/jobs", input, limits });
  const runtime = { clock, random: () => random };
  const service = createService({
    definitions: [jobs],
    authorize: allowAnonymous(),
    backend,
    observe: false,
    runtime,
  });
  const submit = (number: number, options: { tenant?: string; key?: string; delayMs?: number } = {}) =>
    service.submit(jobs, { number }, { tenant: "a", ...options });
  const post = (number: number, key?: string) =>
    service.handle({
      method: "POST",
      path: "/jobs",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": `"${key}"` }),
      },
      body: JSON.stringify({ number }),
    });
  const work = async (): Promise<void> => {
    const worker = createWorker(service, { jobs: () => undefined });
    await worker.runUntilIdle();
    await worker.stop();
  };
  return { backend, clock, jobs, service, submit, post, work, counted: () => counts };
}

const fill = async (submit: (number: number) => Promise<unknown>, count: number): Promise<void> => {
  for (let number = 0; number < count; number += 1) await submit(number);
};

describe("a limit of pending operations", () => {
  it("refuses further submissions with 503 `backlog-full` and a `Retry-After`, and BACKLOG_FULL in process", async () => {
    const { submit, post } = stage({ pending: 3 });
    await fill(submit, 3);
    await expect(submit(4, { tenant: "b" })).rejects.toMatchObject({ code: "BACKLOG_FULL" });
    const { status, headers, body } = await post(4);
    expect(status).toBe(503);
    expect(headers["retry-after"]).toBe("1");
    expect(JSON.parse(String(body))).toMatchObject({ name: "backlog-full", status: 503 });
  });

  it("of one tenant refuses that tenant alone, with 429 `too-many-pending` and TOO_MANY_PENDING", async () => {
    const { submit, post } = stage({ pendingPerTenant: 2 });
    await fill((number) => submit(number, { tenant: "anonymous" }), 2);
    await expect(submit(3, { tenant: "anonymous" })).rejects.toMatchObject({ code: "TOO_MANY_PENDING" });
    const { status, headers, body } = await post(3);
    expect(status).toBe(429);
    expect(headers["retry-after"]).toBe("1");
    expect(JSON.parse(String(body))).toMatchObject({ name: "too-many-pending", status: 429 });
    await expect(submit(3, { tenant: "b" })).resolves.toMatchObject({ replayed: false });
  });

  it("does not refuse a repeated request, which gets its operation, nor a new payload for its key", async () => {
    const { submit, post } = stage({ pending: 1 });
    const first = await submit(1, { tenant: "anonymous", key: "one" });
    await expect(submit(2)).rejects.toMatchObject({ code: "BACKLOG_FULL" });
    for (let times = 0; times < 3; times += 1) {
      const { status, headers, body } = await post(1, "one");
      expect(status).toBe(202);
      expect(headers["idempotent-replayed"]).toBe("true");
      expect(JSON.parse(String(body))).toMatchObject({ operationId: first.operationId });
    }
    expect((await post(2, "one")).status).toBe(422);
    expect((await post(2, "two")).status).toBe(503);
  });

  it("counts delayed work, and forgets what has ended within a second", async () => {
    const { clock, submit, work } = stage({ pending: 2 });
    await submit(1, { delayMs: 3_600_000 });
    await submit(2);
    await expect(submit(3)).rejects.toMatchObject({ code: "BACKLOG_FULL" });
    await work();
    await clock.advance(1_001);
    await expect(submit(3)).resolves.toBeDefined();
    await expect(submit(4)).rejects.toMatchObject({ code: "BACKLOG_FULL" });
  });

  it.each([
    ["of all tenants", { pending: 5 }],
    ["of one tenant", { pendingPerTenant: 5 }],
  ])("%s holds for submissions that arrive at once, before and after the first count", async (_, limits) => {
    const { clock, submit, work } = stage(limits);
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => submit(number)));
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      await work();
      await clock.advance(2_000);
    }
  });

  it("asks the store twice a second at most, however many submissions arrive", async () => {
    const { clock, counted, submit } = stage({ pending: 1_000_000, pendingPerTenant: 1_000_000 });
    for (let ms = 0; ms < 3_000; ms += 10) {
      await submit(ms);
      await clock.advance(10);
    }
    expect(counted()).toBeGreaterThanOrEqual(3);
    expect(counted()).toBeLessThanOrEqual(6);
  });

  it("is not exceeded by failures or replays that gave their places back", async () => {
    const { submit } = stage({ pending: 3 });
    await submit(1, { key: "one" });
    for (let times = 0; times < 5; times += 1) await submit(1, { key: "one" });
    await fill(submit, 2);
    await expect(submit(4)).rejects.toMatchObject({ code: "BACKLOG_FULL" });
  });

  it.each([
    [0, "60"],
    [1, "90"],
  ])(
    "asks to come back after a tenth of the time that operations take, with jitter (%d)",
    async (random, wait) => {
      const { clock, post, work } = stage({ pending: 1 }, { random });
      // Longer times count as 10 minutes.
      for (let number = 0; number < 40; number += 1) {
        expect((await post(number)).status).toBe(202);
        await clock.advance(3_600_000);
        await work();
        await clock.advance(1_001);
      }
      await post(100);
      const { status, headers } = await post(101);
      expect(status).toBe(503);
      expect(headers["retry-after"]).toBe(wait);
    },
  );

  it("needs stores that can count and find keys", () => {
    const { jobs } = stage({ pending: 1 });
    const make = (change: object) => {
      const own = withStores(createMemoryBackend(), {});
      return () => createService({ definitions: [jobs], backend: { ...own, ...change }, observe: false });
    };
    const { operations, idempotency } = createMemoryBackend();
    const without = (store: object, name: string) =>
      new Proxy(store, {
        get: (target, member) => (member === name ? undefined : Reflect.get(target, member)),
      });
    expect(make({ operations: without(operations, "countPending") })).toThrow(
      'The definition "jobs" limits its pending operations, but the back end has no `operations.countPending`.',
    );
    expect(make({ idempotency: without(idempotency, "find") })).toThrow("has no `idempotency.find`");
  });
});
