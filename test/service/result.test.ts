import {
  createWorker,
  type Order,
  type Processor,
  permanentFailure,
  type RunSummary,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import { createWaitingService, type Given, isSettled, tenant } from "../support/waiting-service.js";

/** A service with a pending order whose result is awaited. */
async function createAwaited(given: Given = {}, options: { readonly signal?: AbortSignal } = {}) {
  const waiting = createWaitingService(given);
  const { service, submit } = waiting;
  const [orders] = service.definitions;
  const id = await submit();
  const result = service.result(orders, id, { tenant, ...options });
  const work = (processor: Processor<Order>): Promise<RunSummary> =>
    createWorker(service, { orders: processor }).runUntilIdle();
  expect(await isSettled(result)).toBe(false);
  return { ...waiting, orders, id, result, work };
}

describe("service.result", () => {
  it("resolves to the result when the operation completes, and at once after that", async () => {
    const { result, work, service, orders, id } = await createAwaited();
    await work(({ quantity }) => ({ shipped: quantity }));
    expect(await result).toEqual({ shipped: 2 });
    expect(await service.result(orders, id, { tenant })).toEqual({ shipped: 2 });
  });

  it("waits without a time limit", async () => {
    const { result, clock, work } = await createAwaited();
    await clock.advance(24 * 3_600_000);
    expect(await isSettled(result)).toBe(false);
    await work(() => undefined);
    expect(await result).toBeUndefined();
  });

  it("rejects with the problem if the operation fails", async () => {
    const { result, work } = await createAwaited();
    const context = { problem: { title: "The work failed", detail: "Sold out." } };
    await Promise.all([
      expect(result).rejects.toMatchObject({ code: "OPERATION_FAILED", detail: "Sold out.", context }),
      work(() => Promise.reject(permanentFailure("Sold out."))),
    ]);
  });

  it("rejects with its own code if the operation was cancelled", async () => {
    const { result, service, orders, id } = await createAwaited();
    await Promise.all([
      expect(result).rejects.toMatchObject({
        code: "OPERATION_CANCELLED",
        detail: "The operation was cancelled before its work was done.",
        context: { problem: { name: "cancelled" } },
      }),
      service.cancel(orders, id, { tenant }),
    ]);
  });

  it("shows the problem with its name and the base URI of the service, as `get` does", async () => {
    const problemBaseUri = "https://docs.example.com/problems/";
    const { service, orders, id, result, work } = await createAwaited({ problemBaseUri });
    const problem = { type: `${problemBaseUri}work-failed`, name: "work-failed", detail: "Sold out." };
    await Promise.all([
      expect(result).rejects.toMatchObject({ code: "OPERATION_FAILED", context: { problem } }),
      work(() => Promise.reject(permanentFailure("Sold out."))),
    ]);
    expect(await service.get(orders, id, { tenant })).toMatchObject({ error: problem });
  });

  it("rejects if the tenant has no such operation", async () => {
    const { service, orders, id } = await createAwaited();
    const unknown = { code: "NOT_FOUND" };
    await expect(service.result(orders, id, { tenant: "other" })).rejects.toMatchObject(unknown);
    await expect(service.result(orders, "1", { tenant })).rejects.toMatchObject(unknown);
  });

  it("rejects with the reason of its signal", async () => {
    const client = new AbortController();
    const { result, service, orders, id } = await createAwaited({}, { signal: client.signal });
    client.abort(new Error("No longer needed."));
    await expect(result).rejects.toThrow("No longer needed.");
    const late = service.result(orders, id, { tenant, signal: client.signal });
    await expect(late).rejects.toThrow("No longer needed.");
  });

  it("rejects when the service closes", async () => {
    const { result, service } = await createAwaited();
    const closed = expect(result).rejects.toMatchObject({ code: "SERVICE_CLOSED" });
    await service.close();
    await closed;
  });

  it("polls if all places are taken, until it is aborted or the service closes", async () => {
    const { service, orders, id, work, clock } = await createAwaited({ maxWaiters: 1 });
    const client = new AbortController();
    const polling = service.result(orders, id, { tenant });
    const aborted = service.result(orders, id, { tenant, signal: client.signal });
    expect(await isSettled(polling)).toBe(false);
    client.abort(new Error("No longer needed."));
    await expect(aborted).rejects.toThrow("No longer needed.");
    await work(() => "done");
    expect(await isSettled(polling)).toBe(false);
    await clock.advance(5_000);
    expect(await polling).toBe("done");
  });
});
