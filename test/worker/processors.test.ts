import {
  AsyncReplyError,
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  defineOrders,
  permanentFailure,
  retryLater,
  type StandardSchema,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { deepText } from "../support/deep-text.js";
import { inside } from "../support/inside.js";
import { createStage, errorOf, signalOf } from "../support/worker-stage.js";
import { failing, runOrder, submitted } from "./stage.js";

const orders = defineOrders();
const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ title: z.string() }),
  progress: z.object({ percent: z.number() }),
});
const ORDER = { itemId: "a", quantity: 1 };

describe("a processor with its own options", () => {
  it("runs at most `concurrency` attempts at once and leaves the others running next to it", async () => {
    const service = createService({ definitions: [orders, reports], authorize: allowAnonymous() });
    const held = signalOf();
    const running = { now: 0, most: 0, ended: 0 };
    const reported = vi.fn();
    const run = async (): Promise<void> => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await held.promise;
      running.now -= 1;
      running.ended += 1;
    };
    const worker = createWorker(service, { orders: { concurrency: 2, run }, reports: reported });
    const options = { tenant: "a" };
    for (let count = 0; count < 6; count += 1) await service.submit(orders, ORDER, options);
    await worker.start();
    await vi.waitUntil(() => running.now === 2);
    await service.submit(reports, { title: "beside" }, options);
    await vi.waitUntil(() => reported.mock.calls.length === 1);
    held.resolve();
    await vi.waitUntil(() => running.ended === 6);
    expect(running.most).toBe(2);
    await service.close();
  });

  it("takes waiting work as soon as one of its attempts ends, while the worker waits for others", async () => {
    const service = createService({ definitions: [orders, reports], authorize: allowAnonymous() });
    const gates = [signalOf(), signalOf()];
    const begun: number[] = [];
    const run = async ({ quantity }: typeof ORDER): Promise<void> => {
      begun.push(quantity);
      await gates[quantity - 1]?.promise;
    };
    const processors = { orders: { concurrency: 1, run }, reports: () => {} };
    // The sweep must not help: only the free slot may.
    const worker = createWorker(service, processors, { sweepIntervalMs: 3_600_000 });
    await worker.start();
    await service.submit(orders, { ...ORDER, quantity: 1 }, { tenant: "a" });
    await vi.waitUntil(() => begun.length === 1);
    await service.submit(orders, { ...ORDER, quantity: 2 }, { tenant: "a" });
    gates[0]?.resolve();
    await vi.waitUntil(() => begun.length === 2);
    gates[1]?.resolve();
    await service.close();
    expect(begun).toEqual([1, 2]);
  });

  it("has its own maxAttempts and backoff, which default to those of the worker", async () => {
    const { id, submit, read, worker, clock, events } = await submitted(createStage([orders, reports]));
    const other = await submit({ title: "beside" }, reports.path);
    const run = failing(new Error("no"));
    const backoff = { baseMs: 10, maxMs: 10 };
    const working = worker({ orders: { run, maxAttempts: 2, backoff }, reports: run }, { maxAttempts: 1 });
    await working.runUntilIdle();
    expect(events).toContainEqual(expect.objectContaining({ event: "operation.retried", delayMs: 5 }));
    expect(await read(other)).toMatchObject({ state: "failed", attempt: 1 });
    await clock.advance(5);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "failed", attempt: 2 });
  });

  it("has its own time limit and its own lease", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const limits = { attemptTimeoutMs: 5_000, leaseMs: 60_000, maxAttempts: 1 };
    const idle = worker({ orders: { run: () => new Promise(() => {}), ...limits } }).runUntilIdle();
    await vi.waitUntil(async () => (await read(id)).attempt === 1);
    await clock.advance(4_999);
    expect((await read(id)).state).toBe("pending");
    await clock.advance(1);
    await idle;
    expect((await read(id)).state).toBe("failed");
  });

  it.each([
    [{ run: () => {}, concurrency: 0 }, /processors\.orders\.concurrency/],
    [{ run: () => {}, leaseMs: 1.5 }, /processors\.orders\.leaseMs/],
    [{ run: () => {}, backoff: { baseMs: -1 } }, /processors\.orders\.backoff\.baseMs/],
    [{ concurrency: 1 }, /processors\.orders/],
    ["run", /processors\.orders/],
  ])("is rejected if it is invalid: %o", (processor, message) => {
    const service = createOrderService({ authorize: allowAnonymous(), backend: createMemoryBackend() });
    expect(() => createWorker(service, { orders: processor as never })).toThrow(message);
  });
});

describe("a retry that does not count", () => {
  it("comes after a second at the earliest, so that it cannot go in a loop", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const attempts: number[] = [];
    const working = worker({
      orders: (_, { attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 3) return "shipped";
        const context = { retryAfterMs: 0, countAttempt: false } as const;
        throw new AsyncReplyError("RETRY_LATER", "There is no room.", context);
      },
    });
    for (const expected of [1, 1, 2, 2, 3]) {
      await working.runUntilIdle();
      expect(attempts).toHaveLength(expected);
      await clock.advance(500);
    }
    expect(attempts).toEqual([1, 1, 1]);
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
  });
});

describe("retryLater", () => {
  it("retries at the requested time instead of after the backoff, and counts the attempt", async () => {
    const { id, read, worker, clock, events } = await submitted(createStage());
    const cause = new Error("the carrier asks to wait");
    const working = worker({
      orders: (_, { attempt }) => {
        if (attempt === 1) throw retryLater({ afterMs: 3_600_000, cause });
        return "shipped";
      },
    });
    await working.runUntilIdle();
    const error = { code: "RETRY_LATER", cause };
    expect(events.at(-1)).toMatchObject({ event: "operation.retried", delayMs: 3_600_000, error });
    await clock.advance(3_599_999);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    await clock.advance(1);
    await working.runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("fails the operation after its last attempt", async () => {
    const { operation } = await runOrder(failing(retryLater({ afterMs: 0 })), { maxAttempts: 3 });
    expect(operation).toMatchObject({ state: "failed", attempt: 3 });
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 31, "1"])("rejects %o as a time", (afterMs) => {
    expect(() => retryLater({ afterMs: afterMs as number })).toThrow(/afterMs/);
  });

  it.each([[undefined], [5]])("says that it needs a time instead of %o", (options) => {
    const detail =
      "Option `afterMs` of retryLater is undefined. Pass whole milliseconds from 0 to 2147483647.";
    expect(() => retryLater(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", detail }),
    );
  });
});

describe("progress with a schema", () => {
  it("is shown as the output of the schema, and dropped if the schema refuses it", async () => {
    const { id, read, worker, events } = await submitted(createStage([reports]), { title: "a" });
    await worker({
      reports: (_, job) => {
        job.progress({ percent: 50, secret: "not in the schema" } as { percent: number });
        job.progress({ percent: "a secret" } as never);
      },
    }).runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", progress: '{"percent":50}' });
    const [dropped] = events.filter(({ event }) => event === "progress.dropped");
    const message =
      "INVALID_RESULT: The value violates the contract. 1 violation: #/percent: expected number.";
    expect(dropped).toMatchObject({ operationId: id, error: { message } });
    expect(deepText(dropped)).not.toContain("secret");
  });

  it("retries the attempt if the schema itself throws", async () => {
    const validate = failing(new TypeError("the schema has a bug"));
    const progress: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
    const broken = defineOperation({ name: "broken", path: "/broken", input: z.object({}), progress });
    const { worker, events } = await submitted(createStage([broken]), {});
    await worker({ broken: (_, job) => job.progress(1) }).runUntilIdle();
    expect(events.at(-1)).toMatchObject({ event: "operation.retried", error: { name: "TypeError" } });
  });

  it("must be synchronous", async () => {
    const progress = z.number().refine(async () => true);
    const slow = defineOperation({ name: "slow", path: "/slow", input: z.object({}), progress });
    const { id, read, worker } = await submitted(createStage([slow]), {});
    await worker({ slow: (_, job) => job.progress(1) }).runUntilIdle();
    expect(errorOf(await read(id)).detail).toMatch(/must be synchronous/);
  });
});

describe("a creation whose process died", () => {
  it.each([
    ["inherits `create` from its service", true],
    ["has no `create`", false],
  ])("is finished by a worker that can create and left alone by one that cannot: %s", async (_, creates) => {
    const clock = createManualClock();
    const backend = createMemoryBackend({ clock });
    const create = vi.fn(() => ({ body: { made: true } }));
    const service = createOrderService({ backend, authorize: allowAnonymous(), create, runtime: { clock } });
    const { operations } = backend;
    const id = inside(service).runtime.newId();
    const about = {
      tenant: "a",
      definition: "orders",
      input: JSON.stringify(ORDER),
      retentionMs: 86_400_000,
    };
    await operations.create({ id, ...about }, { state: "preparing", token: "dead", leaseMs: 1_000 });
    await clock.advance(1_000);
    const { definitions } = service;
    const source = creates ? service : { definitions, backend, runtime: { clock } };
    await createWorker(source, { orders: () => "done" }).runUntilIdle();
    expect((await operations.get(id, "a"))?.state).toBe(creates ? "completed" : "preparing");
    expect(create).toHaveBeenCalledTimes(creates ? 1 : 0);
    // A worker that can create takes over. The one that cannot has returned the announcement and left no lease.
    await clock.advance(1_000);
    await createWorker(service, { orders: () => "done" }).runUntilIdle();
    expect((await operations.get(id, "a"))?.state).toBe("completed");
  });

  it("fails with the reason of permanentFailure", async () => {
    const create = failing(permanentFailure("The item is gone."));
    const service = createOrderService({ authorize: allowAnonymous(), create });
    const submitted = await service.submit(service.definitions[0], ORDER, { tenant: "a" });
    expect(submitted).toMatchObject({ status: "failed", replayed: false });
    const view = await service.get(service.definitions[0], submitted.operationId, { tenant: "a" });
    expect(view).toMatchObject({ status: "failed", error: { detail: "The item is gone." } });
  });
});
