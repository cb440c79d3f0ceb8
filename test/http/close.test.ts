import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  getOperation,
  submitOrder,
} from "async-request-reply";
import { describe, expect, it, vi } from "vitest";
import { jsonPost } from "../service/open-service.js";
import { signalOf } from "../support/worker-stage.js";

const ORDER = { itemId: "pen", quantity: 2 };
const tenant = "anonymous";
const post = jsonPost("/orders", ORDER);

/** Allows requests when the test says so. */
const onceAllowed = (allowed: { readonly promise: Promise<void> }) => () =>
  allowed.promise.then(() => ({ id: tenant }));

describe("a closed service", () => {
  it("refuses requests and submissions, and records nothing", async () => {
    const backend = createMemoryBackend();
    const service = createOrderService({ authorize: allowAnonymous(), backend });
    const [orders] = service.definitions;
    await service.close();
    const replies = await Promise.all([
      service.handle(post),
      submitOrder(post, service),
      getOperation({ method: "GET", path: "/operations/1", headers: {} }, service),
    ]);
    for (const { status, headers } of replies) expect([status, headers["retry-after"]]).toEqual([503, "2"]);
    const calls = [
      service.submit(orders, ORDER, { tenant }),
      service.get(orders, "1", { tenant }),
      service.cancel(orders, "1", { tenant }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "SERVICE_CLOSED" });
    expect(await backend.operations.list({ limit: 1, internal: true })).toEqual([]);
  });

  it("finishes its workers' work and requests in progress before it closes the back end", async () => {
    const steps: string[] = [];
    const backend = createMemoryBackend();
    const allowed = signalOf();
    const service = createOrderService({
      authorize: onceAllowed(allowed),
      backend: { ...backend, close: async () => void steps.push("back end closed") },
    });
    const worker = createWorker(service, {
      orders: async (_, job) => {
        steps.push("work begun");
        await vi.waitUntil(() => steps.includes("closing"));
        steps.push("work ended");
        return job.attempt;
      },
    });
    await worker.start();
    const { operationId } = await service.submit(service.definitions[0], ORDER, { tenant });
    await vi.waitUntil(() => steps.includes("work begun"));
    const replying = service.handle(post).then(({ status }) => void steps.push(`replied ${status}`));
    steps.push("closing");
    const closing = service.close().then(() => void steps.push("closed"));
    await vi.waitUntil(() => steps.includes("work ended"));
    allowed.resolve();
    await Promise.all([replying, closing]);
    expect(steps.filter((step) => step !== "work begun")).toEqual([
      "closing",
      "work ended",
      "replied 202",
      "back end closed",
      "closed",
    ]);
    expect((await backend.operations.get(operationId, tenant))?.state).toBe("completed");
    await expect(worker.start()).rejects.toMatchObject({ code: "WORKER_STOPPED" });
  });

  it("stops its workers while requests are in progress, and lets one that is stopping finish", async () => {
    const steps: string[] = [];
    const allowed = signalOf();
    const finished = signalOf();
    const service = createOrderService({ authorize: onceAllowed(allowed) });
    const worker = createWorker(service, {
      orders: async (_, { signal }) => {
        steps.push("work begun");
        await finished.promise;
        steps.push(signal.aborted ? "work aborted" : "work ended");
      },
    });
    await worker.start();
    await service.submit(service.definitions[0], ORDER, { tenant });
    await vi.waitUntil(() => steps.includes("work begun"));
    const replying = service.handle(post).then(() => void steps.push("replied"));
    const stopping = worker.stop().then(() => void steps.push("worker stopped"));
    const closing = service.close();
    finished.resolve();
    await stopping;
    allowed.resolve();
    await Promise.all([replying, closing]);
    expect(steps).toEqual(["work begun", "work ended", "worker stopped", "replied"]);
  });

  it("stops a worker before the last request in progress has been answered", async () => {
    const allowed = signalOf();
    const service = createOrderService({ authorize: onceAllowed(allowed) });
    const worker = createWorker(service, { orders: () => {} });
    await worker.start();
    const replying = service.handle(post);
    const closing = service.close();
    await expect(worker.start()).rejects.toMatchObject({ code: "WORKER_STOPPED" });
    allowed.resolve();
    expect((await replying).status).toBe(202);
    await closing;
  });

  it("closes its back end once even if close is called again, and reports a failure", async () => {
    const close = vi.fn(async () => {
      throw new Error("the connection is gone");
    });
    const observe = vi.fn();
    const service = createOrderService({
      authorize: allowAnonymous(),
      backend: { ...createMemoryBackend(), close },
      observe,
    });
    await Promise.all([service.close(), service.close()]);
    await service.close();
    expect(close).toHaveBeenCalledTimes(1);
    expect(observe).toHaveBeenCalledExactlyOnceWith({
      event: "background.failed",
      step: "close",
      error: expect.objectContaining({ message: "the connection is gone" }),
    });
  });
});
