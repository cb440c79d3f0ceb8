import { createWorker, type StandardSchema } from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../../service/open-service.js";
import { untyped } from "../../support/untyped.js";

const tenant = "anonymous";
const account = z.object({ account: z.string() });

/** A schema that does not describe its members. */
function opaque(schema: StandardSchema): StandardSchema {
  const { version, vendor, validate } = schema["~standard"];
  return { "~standard": { version, vendor, validate } };
}

/** Creates a service whose path has the field `account`. `ran` are the inputs of its processor. */
function createStage(input: StandardSchema) {
  const path = "/accounts/{account}/orders";
  const orders = untyped.defineOperation({ name: "orders", path, input }) as never;
  const ran: unknown[] = [];
  const { service, events } = openService([orders]);
  const worker = createWorker(service, { orders: (given: unknown) => void ran.push(given) } as never);
  return {
    ran,
    events,
    submit: (value: unknown) => service.submit(orders, value as never, { tenant }),
    post: async () => (await service.handle(jsonPost("/accounts/a/orders", {}))).status,
    work: () => worker.runUntilIdle(),
  };
}

const DETAIL =
  'The input schema of the definition "orders" drops the field {account} of its path "/accounts/{account}/orders", so the ' +
  "processor would not get it. Add a required member `account` to the schema.";

describe("a schema that drops a field of the path", () => {
  it("is reported with every request", async () => {
    const { post, work, ran, events } = createStage(opaque(z.object({})));
    expect([await post(), await post()]).toEqual([500, 500]);
    expect(events).toMatchObject([
      { error: { code: "INTERNAL", detail: DETAIL } },
      { error: { detail: DETAIL } },
    ]);
    await work();
    expect(ran).toEqual([]);
  });

  it("is reported in process", async () => {
    const { submit } = createStage(opaque(z.object({})));
    await expect(submit({ account: "a" })).rejects.toMatchObject({ code: "INTERNAL", detail: DETAIL });
  });
});

describe("a schema that keeps the fields of the path", () => {
  it.each<readonly [string, StandardSchema, unknown]>([
    ["as members", account, { account: "a" }],
    ["without describing them", opaque(account), { account: "a" }],
    ["with others that it does not know", z.looseObject({}), { account: "a" }],
    ["under another name", opaque(account.transform((given) => ({ id: given.account }))), { id: "a" }],
    ["in a text", opaque(account.transform((given) => given.account)), "a"],
    ["with an asynchronous check", opaque(account.refine(async () => true)), { account: "a" }],
  ])("is accepted: %s", async (_, schema, expected) => {
    const { post, submit, work, ran } = createStage(schema);
    expect([await post(), await post()]).toEqual([202, 202]);
    await submit({ account: "a" });
    await work();
    expect(ran).toEqual([expected, expected, expected]);
  });
});
