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
import { createStage, errorOf } from "../support/worker-stage.js";

const orders = defineOrders();
const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ title: z.string() }),
  progress: z.object({ percent: z.number() }),
});
const ORDER = { itemId: "a", quantity: 1 };

function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("a processor with its own options", () => {
  it("runs at most `concurrency` attempts at once and leaves the others running next to it", async () => {
    const service = createService({ definitions: [orders, reports], authorize: allowAnonymous() });
    const held = gate();
    const running = { now: 0, most: 0, ended: 0 };
    const reported = vi.fn();
    const worker = createWorker(service, {
      orders: {
        concurrency: 2,
        run: async () => {
          running.now += 1;
          running.most = Math.max(running.most, running.now);
          await held.opened;
          running.now -= 1;
          running.ended += 1;
        },
      },
      reports: reported,
    });
    const options = { tenant: "a" };
    for (let count = 0; count < 6; count += 1) await service.submit(orders, ORDER, options);
    await worker.start();
    await vi.waitUntil(() => running.now === 2);
    await service.submit(reports, { title: "beside" }, options);
    await vi.waitUntil(() => reported.mock.calls.length === 1);
    held.open();
    await vi.waitUntil(() => running.ended === 6);
    expect(running.most).toBe(2);
    await service.close();
  });

  it("takes waiting work as soon as one of its attempts ends, while the worker waits for others", async () => {
    const service = createService({ definitions: [orders, reports], authorize: allowAnonymous() });
    const gates = [gate(), gate()];
    const begun: number[] = [];
    const worker = createWorker(
      service,
      {
        orders: {
          concurrency: 1,
          run: async ({ quantity }) => {
            begun.push(quantity);
            await gates[quantity - 1]?.opened;
          },
        },
        reports: () => {},
      },
      // The sweep must not help: only the free slot may.
      { sweepIntervalMs: 3_600_000 },
    );
    await worker.start();
    await service.submit(orders, { ...ORDER, quantity: 1 }, { tenant: "a" });
    await vi.waitUntil(() => begun.length === 1);
    await service.submit(orders, { ...ORDER, quantity: 2 }, { tenant: "a" });
    gates[0]?.open();
    await vi.waitUntil(() => begun.length === 2);
    gates[1]?.open();
    await service.close();
    expect(begun).toEqual([1, 2]);
  });

  it("has its own maxAttempts and backoff, which default to those of the worker", async () => {
    const stage = createStage([orders, reports] as const);
    const fails = (): never => {
      throw new Error("no");
    };
    const worker = stage.worker(
      { orders: { run: fails, maxAttempts: 2, backoff: { baseMs: 10, maxMs: 10 } }, reports: fails },
      { maxAttempts: 1 },
    );
    const id = await stage.submit(ORDER);
    await worker.runUntilIdle();
    expect(stage.events.at(-1)).toMatchObject({ event: "operation.retried", delayMs: 5 });
    await stage.clock.advance(5);
    await worker.runUntilIdle();
    expect(await stage.read(id)).toMatchObject({ state: "failed", attempt: 2 });
  });

  it("has its own time limit and its own lease", async () => {
    const stage = createStage();
    const id = await stage.submit();
    const worker = stage.worker({
      orders: { run: () => new Promise(() => {}), attemptTimeoutMs: 5_000, leaseMs: 60_000, maxAttempts: 1 },
    });
    const idle = worker.runUntilIdle();
    await vi.waitUntil(async () => (await stage.read(id)).attempt === 1);
    await stage.clock.advance(4_999);
    expect((await stage.read(id)).state).toBe("pending");
    await stage.clock.advance(1);
    await idle;
    expect((await stage.read(id)).state).toBe("failed");
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
    const stage = createStage();
    const id = await stage.submit();
    const attempts: number[] = [];
    const worker = stage.worker({
      orders: (_, { attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 3) return "shipped";
        const context = { retryAfterMs: 0, countAttempt: false } as const;
        throw new AsyncReplyError("RETRY_LATER", "There is no room.", context);
      },
    });
    for (const expected of [1, 1, 2, 2, 3]) {
      await worker.runUntilIdle();
      expect(attempts).toHaveLength(expected);
      await stage.clock.advance(500);
    }
    expect(attempts).toEqual([1, 1, 1]);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1 });
  });
});

describe("retryLater", () => {
  it("retries at the requested time instead of after the backoff, and counts the attempt", async () => {
    const stage = createStage();
    const id = await stage.submit();
    const cause = new Error("the carrier asks to wait");
    const worker = stage.worker({
      orders: (_, { attempt }) => {
        if (attempt === 1) throw retryLater({ afterMs: 3_600_000, cause });
        return "shipped";
      },
    });
    await worker.runUntilIdle();
    expect(stage.events.at(-1)).toMatchObject({
      event: "operation.retried",
      delayMs: 3_600_000,
      error: { code: "RETRY_LATER", cause },
    });
    await stage.clock.advance(3_599_999);
    await worker.runUntilIdle();
    expect(await stage.read(id)).toMatchObject({ state: "pending", attempt: 1 });
    await stage.clock.advance(1);
    await worker.runUntilIdle();
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("fails the operation after its last attempt", async () => {
    const stage = createStage();
    const id = await stage.submit();
    const later = (): never => {
      throw retryLater({ afterMs: 0 });
    };
    await stage.worker({ orders: later }, { maxAttempts: 3 }).runUntilIdle();
    expect(await stage.read(id)).toMatchObject({ state: "failed", attempt: 3 });
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
    const stage = createStage([reports]);
    const id = await stage.submit({ title: "a" });
    await stage
      .worker({
        reports: (_, job) => {
          job.progress({ percent: 50, secret: "not in the schema" } as { percent: number });
          job.progress({ percent: "a secret" } as never);
        },
      })
      .runUntilIdle();
    const operation = await stage.read(id);
    expect(operation).toMatchObject({ state: "completed", progress: '{"percent":50}' });
    const [dropped] = stage.events.filter(({ event }) => event === "progress.dropped");
    const message =
      "INVALID_RESULT: The value violates the contract. 1 violation: #/percent: expected number.";
    expect(dropped).toMatchObject({ operationId: id, error: { message } });
    expect(deepText(dropped)).not.toContain("secret");
  });

  it("retries the attempt if the schema itself throws", async () => {
    const validate = (): never => {
      throw new TypeError("the schema has a bug");
    };
    const progress: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
    const broken = defineOperation({ name: "broken", path: "/broken", input: z.object({}), progress });
    const stage = createStage([broken]);
    await stage.submit({});
    await stage.worker({ broken: (_, job) => job.progress(1) }).runUntilIdle();
    expect(stage.events.at(-1)).toMatchObject({ event: "operation.retried", error: { name: "TypeError" } });
  });

  it("must be synchronous", async () => {
    const slow = defineOperation({
      name: "slow",
      path: "/slow",
      input: z.object({}),
      progress: z.number().refine(async () => true),
    });
    const stage = createStage([slow]);
    const id = await stage.submit({});
    await stage.worker({ slow: (_, job) => job.progress(1) }).runUntilIdle();
    expect(errorOf(await stage.read(id)).detail).toMatch(/must be synchronous/);
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
    const operation = {
      id,
      tenant: "a",
      definition: "orders",
      input: JSON.stringify(ORDER),
      retentionMs: 86_400_000,
    };
    await operations.create(operation, { state: "preparing", token: "dead", leaseMs: 1_000 });
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
    const create = (): never => {
      throw permanentFailure("The item is gone.");
    };
    const service = createOrderService({ authorize: allowAnonymous(), create });
    const submitted = await service.submit(service.definitions[0], ORDER, { tenant: "a" });
    expect(submitted).toMatchObject({ status: "failed", replayed: false });
    const view = await service.get(service.definitions[0], submitted.operationId, { tenant: "a" });
    expect(view).toMatchObject({ status: "failed", error: { detail: "The item is gone." } });
  });
});
