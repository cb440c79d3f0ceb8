import { defineOperation, type OperationDefinitionOptions } from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../../service/open-service.js";

const input = z.object({ customer: z.string().trim(), fails: z.boolean().optional() });
type SerialBy = NonNullable<
  OperationDefinitionOptions<string, string, typeof input, undefined, undefined>["serialBy"]
>;

function stage(serialBy: SerialBy) {
  const invoices = defineOperation({ name: "invoices", path: "/invoices", input, serialBy });
  const { service, backend, events } = openService([invoices]);
  const post = (body: object) => service.handle(jsonPost("/invoices", body));
  const submit = (customer = "a") => service.submit(invoices, { customer }, { tenant: "anonymous" });
  return { backend, events, post, submit };
}

const RULE = "Return a string of 1 to 255 UTF-16 code units, well formed and without NUL.";
const RETURNED = 'The value that `serialBy` of the definition "invoices" returned';
const PROMISE = '`serialBy` of the definition "invoices" returned a promise. It must be synchronous.';

/** Returns a value that TypeScript would refuse. */
const returning = (value: unknown): SerialBy => (() => value) as SerialBy;

describe("the lane of an operation", () => {
  it("is computed from the output of the schema and stored, in process and over HTTP", async () => {
    const { backend, post, submit } = stage(({ customer }) => `customer ${customer}`);
    const { operationId } = await submit(" a ");
    expect(await backend.operations.get(operationId, "anonymous")).toMatchObject({ lane: "customer a" });
    const { body } = await post({ customer: " b " });
    const accepted = JSON.parse(body?.toString() ?? "") as { readonly operationId: string };
    const stored = await backend.operations.get(accepted.operationId, "anonymous");
    expect(stored).toMatchObject({ lane: "customer b" });
  });

  it.each([
    ["nothing", undefined, `${RETURNED} is undefined.`],
    ["a number", 5, `${RETURNED} is a number.`],
    ["an empty text", "", `${RETURNED} has 0 characters.`],
    ["a long text", "x".repeat(256), `${RETURNED} has 256 characters.`],
    ["a text with NUL", "a\0b", `${RETURNED} contains NUL.`],
    ["half a character", "\ud800", `${RETURNED} contains a lone surrogate.`],
    ["a promise, which would be the same lane for all", Promise.resolve("a"), PROMISE],
  ])("cannot be %s", async (_, value, problem) => {
    const detail = `${problem} ${RULE}`;
    await expect(stage(returning(value)).submit()).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it("can have 255 code units", async () => {
    const { backend, submit } = stage(returning(`${"😀".repeat(127)}x`));
    const { operationId } = await submit();
    expect((await backend.operations.get(operationId, "anonymous"))?.lane).toHaveLength(255);
  });

  it("is an error of the program if `serialBy` throws: INVALID_OPTION in process, a 500 and an event over HTTP", async () => {
    const cause = new TypeError("boom");
    const { events, post, submit } = stage(() => {
      throw cause;
    });
    const detail =
      '`serialBy` of the definition "invoices" threw an error, which is the cause of this one. It must return a string for ' +
      "every valid input.";
    await expect(submit()).rejects.toMatchObject({ code: "INVALID_OPTION", detail, cause });
    const { status, body } = await post({ customer: "a" });
    expect(status).toBe(500);
    expect(JSON.parse(body?.toString() ?? "")).toMatchObject({ status: 500, title: expect.any(String) });
    expect(body?.toString()).not.toContain("serialBy");
    const refused = events.find(({ event }) => event === "request.refused");
    expect(refused).toMatchObject({ status: 500, code: "INVALID_OPTION", error: { detail, cause } });
  });
});
