import {
  allowAnonymous,
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
} from "async-request-reply";
import { describe, expect, it } from "vitest";

const orders = defineOrders();
const ORDER = { itemId: "pen", quantity: 2 };
const ID = "01a1fb0e-5781-7461-97e0-78a248067be3";

describe("calls of a service without `authorize`", () => {
  it("have the tenant `default`, unless they name one", async () => {
    const service = createService({ definitions: [orders], backend: createMemoryBackend(), observe: false });
    const tenants: string[] = [];
    const worker = createWorker(service, { orders: (_, { tenant }) => void tenants.push(tenant) });
    const { operationId } = await service.submit(orders, ORDER);
    const again = await service.submit(orders, ORDER, { key: "k", tenant: "default" });
    const other = await service.submit(orders, ORDER, { key: "k", tenant: "acme" });
    expect(await service.submit(orders, ORDER, { key: "k" })).toEqual({ ...again, replayed: true });
    await worker.runUntilIdle();
    expect(tenants.sort()).toEqual(["acme", "default", "default"]);
    expect(await service.result(orders, operationId)).toBeUndefined();
    expect(await service.get(orders, operationId, {})).toMatchObject({ status: "completed" });
    expect(await service.get(orders, other.operationId)).toBeUndefined();
    expect(await service.get(orders, other.operationId, { tenant: "acme" })).toMatchObject({
      operationId: other.operationId,
    });
    expect(await service.cancel(orders, operationId)).toMatchObject({ outcome: "terminal" });
    expect(await service.cancel(orders, other.operationId)).toEqual({ outcome: "unknown" });
  });

  it("refuse an empty tenant and unknown options as before", async () => {
    const service = createService({ definitions: [orders], observe: false });
    const code = "INVALID_OPTION";
    await expect(service.get(orders, ID, { tenant: "" })).rejects.toMatchObject({ code });
    await expect(service.get(orders, ID, { tennant: "a" } as object)).rejects.toMatchObject({ code });
    await expect(service.get(orders, ID, null as never)).rejects.toMatchObject({ code });
  });

  it("need a tenant if the service has `authorize`", async () => {
    const service = createService({ definitions: [orders], authorize: allowAnonymous(), observe: false });
    const untyped = service as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    for (const [method, ...args] of [
      ["submit", orders, ORDER],
      ["get", orders, ID],
      ["result", orders, ID],
      ["cancel", orders, ID],
    ] as const)
      await expect(untyped[method]?.(...args, {})).rejects.toMatchObject({
        code: "INVALID_OPTION",
        detail: expect.stringContaining("Option `tenant` is undefined."),
      });
  });
});
