import { type AsyncReplyError, allowAnonymous, createService, defineOrders } from "async-request-reply";
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

  it.each([
    ["submit", [orders, ORDER]],
    ["get", [orders, ID]],
    ["result", [orders, ID]],
    ["cancel", [orders, ID]],
  ] as const)("missing options of service.%s", async (method, args) => {
    await expect(untyped[method](...args)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `service.${method} has no options. Pass at least the owner of the operation: \`{ tenant: "…" }\`.`,
    });
  });

  it.each(["get", "result", "cancel"] as const)("an id that is a promise: service.%s", async (method) => {
    await expect(untyped[method](orders, Promise.resolve(ID), { tenant: "t" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail:
        "Expected the id of an operation, not a promise that was not awaited. Pass the `operationId` of a submission.",
    });
  });
});
