import {
  allowAnonymous,
  createOrderService,
  createService,
  defineOperation,
  type Format,
  isAsyncReplyError,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import { jsonPost } from "../service/open-service.js";
import { anything } from "../support/careless-schema.js";

/** A format that writes JSON texts backwards. */
const backwards: Format = {
  mediaTypes: ["application/backwards", "text/backwards"],
  problemMediaType: "application/problem+backwards",
  parse: (bytes) => JSON.parse(reversed(new TextDecoder().decode(bytes))) as unknown,
  serialize: (value) => reversed(JSON.stringify(value)),
};

function reversed(text: string): string {
  return [...text].reverse().join("");
}

const service = createOrderService({ authorize: allowAnonymous(), formats: [backwards] });

async function post(text: string, fields: Readonly<Record<string, string>> = {}) {
  const { status, headers, body } = await service.handle(jsonPost("/orders", text, fields));
  const { "content-type": type, vary, location = "" } = headers;
  return { status, type, vary, location, body: String(body) };
}

const order = '{"itemId":"book","quantity":2}';

describe("a service with an additional format", () => {
  it.each(backwards.mediaTypes)("accepts bodies of type %s", async (type) => {
    expect(await post(reversed(order), { "content-type": type })).toMatchObject({ status: 202 });
  });

  it("replays an order that is retried in the other format", async () => {
    const fields = { "idempotency-key": "both" };
    const first = await post(order, fields);
    const again = await post(reversed(order), { ...fields, "content-type": "application/backwards" });
    expect(again).toEqual(first);
  });

  it.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["application/backwards", "application/backwards"],
    ["application/json;q=0.5, application/backwards", "application/backwards"],
    ["application/backwards;q=0.5, */*;q=0.1", "application/backwards"],
  ])("answers Accept: %s with %s", async (accept, type) => {
    const reply = await post(order, accept === undefined ? {} : { accept });
    expect(reply).toMatchObject({ status: 202, type, vary: "accept" });
  });

  it.each([
    [undefined, "application/problem+json"],
    ["*/*", "application/problem+json"],
    ["application/backwards", "application/problem+backwards"],
    ["application/problem+backwards, application/backwards;q=0.1", "application/problem+backwards"],
    ["application/json, application/problem+backwards;q=0.1", "application/problem+json"],
  ])("answers a refusal to Accept: %s with %s", async (accept, type) => {
    const reply = await post("{}", accept === undefined ? {} : { accept });
    expect(reply).toMatchObject({ status: 422, type, vary: "accept" });
  });

  it("lists the available formats in a 406 and a 415", async () => {
    const unacceptable = await post(order, { accept: "text/csv" });
    expect(unacceptable).toMatchObject({ status: 406, type: "application/problem+json" });
    expect(unacceptable.body).toContain("application/json, application/backwards");
    const unsupported = await service.handle({ method: "POST", path: "/orders", headers: {}, body: order });
    expect(unsupported.headers.accept).toBe("application/json, application/backwards");
  });

  it("gives each representation of an operation its own ETag", async () => {
    const { location } = await post(order);
    const get = async (accept: string) =>
      (await service.handle({ method: "GET", path: location, headers: { accept } })).headers.etag;
    expect(await get("application/json")).not.toBe(await get("application/backwards"));
  });
});

describe("the `formats` option", () => {
  it.each([
    ["contains a format without a problem type", [{ ...backwards, problemMediaType: undefined }]],
    ["contains a format without `serialize`", [{ ...backwards, serialize: undefined }]],
    ["contains a format whose `parseWithTree` is not a function", [{ ...backwards, parseWithTree: true }]],
    ["contains a media type twice", [backwards, backwards]],
  ])("is refused if it %s", (_, formats) => {
    const create = (): unknown =>
      createOrderService({ authorize: allowAnonymous(), formats: formats as readonly Format[] });
    expect(create).toThrow("formats");
    expect(create).toThrow(expect.toSatisfy(isAsyncReplyError));
  });

  it("is refused if a format needs a JSON Schema and a definition has none", () => {
    const undescribed = defineOperation({ name: "reports", path: "/reports", input: anything });
    const create = (formats: readonly Format[]) => () =>
      createService({ definitions: [undescribed], authorize: allowAnonymous(), formats });
    expect(create([{ ...backwards, needsSchema: true }])).toThrow(
      /application\/backwards needs a JSON Schema to read bodies, and the definition "reports"/,
    );
    expect(create([backwards])).not.toThrow();
  });
});
