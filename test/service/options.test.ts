import {
  type AsyncReplyError,
  allowAnonymous,
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import { withSortedOptions } from "../support/refusal.js";

const orders = defineOrders();
const ORDER = { itemId: "pen", quantity: 2 };
const ID = "01a1fb0e-5781-7461-97e0-78a248067be3";
const service = createService({ definitions: [orders], authorize: allowAnonymous(), observe: false });
const untyped = service as unknown as Readonly<
  Record<"submit" | "prepare" | "get" | "result" | "cancel", (...args: unknown[]) => Promise<unknown>>
>;

describe("a call of a service in process rejects", () => {
  it.each([
    ["submit", [orders, ORDER], { idempotencyKey: "k" }, "Did you mean `key`?"],
    ["submit", [orders, ORDER], { startAfter: 60 }, "Did you mean `delayMs`?"],
    ["submit", [orders, ORDER], { delayMS: 1 }, "Did you mean `delayMs`?"],
    [
      "prepare",
      [orders, ORDER],
      { tx: {} },
      "Known options: tenant, principal, key, delayMs, startWithinMs, urgency, webhookUrl.",
    ],
    ["get", [orders, ID], { signal: undefined, tennant: "t" }, "Did you mean `tenant`?"],
    ["result", [orders, ID], { signals: 1 }, "Did you mean `signal`?"],
    ["cancel", [orders, ID], { force: true }, "Known options: tenant."],
  ] as const)("an unknown option of service.%s", async (method, args, given, advice) => {
    const [unknown = ""] = Object.keys(given).filter((name) => name !== "signal");
    const refused = await untyped[method](...args, { tenant: "t", ...given }).catch(
      (error: unknown) => error,
    );
    const { code, detail } = refused as AsyncReplyError;
    const message = `Unknown option \`${unknown}\` of service.${method}. ${advice}`;
    expect(code).toBe("INVALID_OPTION");
    expect(withSortedOptions(detail)).toContain(withSortedOptions(message));
  });

  const calls = [
    ["submit", [orders, ORDER]],
    ["get", [orders, ID]],
    ["result", [orders, ID]],
    ["cancel", [orders, ID]],
  ] as const;

  it.each(calls)("missing options of service.%s", async (method, args) => {
    const detail = `service.${method} has no options. Pass at least the owner of the operation: \`{ tenant: "…" }\`.`;
    await expect(untyped[method](...args)).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it.each(calls)("no tenant of service.%s, if the service has `authorize`", async (method, args) => {
    const detail = expect.stringContaining("Option `tenant` is undefined.");
    await expect(untyped[method](...args, {})).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it.each(["get", "result", "cancel"] as const)("an id that is a promise: service.%s", async (method) => {
    const detail =
      "Expected the id of an operation, not a promise that was not awaited. Pass the `operationId` of a submission.";
    const asked = untyped[method](orders, Promise.resolve(ID), { tenant: "t" });
    await expect(asked).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });
});

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
    const shown = await service.get(orders, other.operationId, { tenant: "acme" });
    expect(shown).toMatchObject({ operationId: other.operationId });
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
});
