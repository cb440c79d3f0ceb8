import {
  allowAnonymous,
  createOrderService,
  createService,
  defineOperation,
  defineOrders,
  type Format,
  isAsyncReplyError,
  type Problem,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { createYangFormats, orderYangFormats } from "async-request-reply/yang";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/contract/definition/definition.js";
import { anything } from "../support/careless-schema.js";
import { effort } from "../support/effort.js";
import { refusalOf } from "../support/refusal.js";
import { rowsOf } from "../support/tables.js";
import { invalidOrder } from "./generated-orders.js";
import { describedInYang } from "./generated-schemas.js";
import { mappings, orders } from "./yang-rows.js";

const NAMESPACE = "https://www.npmjs.com/package/async-request-reply#order-submission";
const { jsonSchema: orderSchema = {} } = defineOrders();
const inModule = createYangFormats({ module: "m", namespace: "urn:m" });

function parse(format: Format, text: string, schema: JsonSchema | undefined, maxDepth = 32): unknown {
  return format.parse(new TextEncoder().encode(text), { limits: { maxDepth }, name: "order", schema });
}

function serialize(format: Format, value: unknown, schema: JsonSchema): string {
  return format.serialize(value, { kind: "resource", name: "order", schema });
}

describe("the formats of YANG data", () => {
  it("have the media types of RFC 8040 §11.3, without aliases, also for problems", () => {
    const types = orderYangFormats.map(({ mediaTypes, problemMediaType }) => [mediaTypes, problemMediaType]);
    expect(types).toEqual([
      [["application/yang-data+json"], "application/yang-data+json"],
      [["application/yang-data+xml"], "application/yang-data+xml"],
    ]);
  });

  it.each([
    { module: "2m", namespace: "urn:m" },
    { module: "a b", namespace: "urn:m" },
    { module: "m", namespace: "" },
  ])("are not made of %j", (options) => {
    expect(refusalOf(() => createYangFormats(options)).code).toBe("INVALID_OPTION");
  });

  it("need a JSON Schema for every definition, and say so when the service is created", () => {
    const undescribed = defineOperation({ name: "reports", path: "/reports", input: anything });
    const options = { definitions: [undescribed], authorize: allowAnonymous(), formats: orderYangFormats };
    expect(refusalOf(() => createService(options)).code).toBe("INVALID_OPTION");
  });

  it.each(orderYangFormats)("$mediaTypes.0 reads back what it writes, with its schema", (format) => {
    fc.assert(
      fc.property(describedInYang, ({ schema, value }) => {
        expect(parse(format, serialize(format, value, schema), schema)).toEqual(value);
      }),
      { numRuns: effort(300, 2_000) },
    );
  });

  it("have the same depth limit as JSON", () => {
    const schema = { type: "object", additionalProperties: { $ref: "#" } };
    for (const format of orderYangFormats) {
      const text = serialize(format, { a: { b: {} } }, schema);
      expect(parse(format, text, schema, 3)).toEqual({ a: { b: {} } });
      expect(() => parse(format, text, schema, 1)).toThrow("levels deep");
    }
  });
});

describe("the mapping between JSON and YANG data", () => {
  const JSON_NUMBER = "a JSON number";
  const rows = rowsOf("docs/formats.md", "How JSON maps to YANG").filter(([, value = ""]) =>
    value.startsWith("{"),
  );

  it.each([...rows, ...mappings])(
    "reads and writes, with %s, %s as %s and as %s",
    (schema = "", json, ...texts) => {
      const known = { type: "object", properties: { n: JSON.parse(schema) as JsonSchema } };
      const value: unknown = JSON.parse(json ?? "");
      expect(inModule.map((format) => serialize(format, value, known))).toEqual(texts);
      expect(inModule.map((format, at) => parse(format, texts[at] ?? "", known))).toEqual([value, value]);
    },
  );

  it.each([
    ["a string for an integer of 32 bits", { type: "integer", minimum: 1, maximum: 9 }, '"2"', JSON_NUMBER],
    ["a string for listed integers", { enum: [1, 2] }, '"2"', JSON_NUMBER],
    ["a number for an integer of 64 bits", { type: "integer", minimum: 1 }, "2", "a string"],
    ["a number for a decimal64", { type: "number" }, "2.5", "a string"],
    ["null for empty", { type: ["null", "boolean"] }, "null", "[null]"],
  ])("rejects %s (RFC 7951 §6)", (_, schema, literal, sentence) => {
    const body = `{"m:order":{"n":${literal}}}`;
    const { code, detail } = refusalOf(() => parse(inModule[0], body, { properties: { n: schema } }));
    expect([code, detail]).toEqual(["MALFORMED_BODY", expect.stringContaining(sentence)]);
  });

  it.each([
    [{ type: "integer", minimum: -128, maximum: 127 }, true],
    [{ type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }, true],
    [{ type: "integer", minimum: -(2 ** 31) - 1, maximum: 0 }, false],
    [{ type: "integer", minimum: -1, maximum: 2 ** 31 }, false],
    [{ type: "integer", exclusiveMinimum: -1, exclusiveMaximum: 2 ** 32 }, true],
    [{ type: "integer", exclusiveMinimum: -1, maximum: 2 ** 32 }, false],
    [{ type: "integer", minimum: 0 }, false],
    [{ type: "integer", maximum: 0 }, false],
    [{ enum: [1, 2 ** 32 - 1] }, true],
    [{ enum: [1, 2 ** 32] }, false],
    [{ const: -1 }, true],
    [{ allOf: [{ type: "integer" }, { minimum: 0, maximum: 9 }] }, false],
    [{ anyOf: [{ type: "integer", minimum: 0, maximum: 9 }, { type: "null" }] }, true],
    [{ type: ["integer", "number"], minimum: 0, maximum: 9 }, false],
  ])("writes the integers of %j as JSON numbers: %s (RFC 7951 §6.1)", (schema, isNumber) => {
    const text = serialize(inModule[0], { n: 1 }, { properties: { n: schema } });
    expect(/"n":1/.test(text)).toBe(isNumber);
  });

  it.each([
    [1e21, "1000000000000000000000"],
    [-1.5e22, "-15000000000000000000000"],
    [36082016486997330, "36082016486997330"],
    [0, "0"],
  ])("writes the integer %d without an exponent: %s (RFC 7950 §9.2)", (n, text) => {
    expect(serialize(inModule[0], { n }, { properties: { n: { type: "integer" } } })).toContain(`"${text}"`);
  });

  it("keeps values as in JSON if the schema does not describe them", () => {
    const value = { any: [1, 2.5, null, "2", { "m:x": true }] };
    const text = serialize(inModule[0], value, { type: "object" });
    expect(text).toBe('{"m:order":{"any":[1,2.5,null,"2",{"m:x":true}]}}');
    expect(parse(inModule[0], text, { type: "object" })).toEqual(value);
  });

  it.each([
    [{ type: ["integer", "string"], minimum: 0, maximum: 9 }, '"2"', "<n>2</n>", "2"],
    [{ type: ["string", "null"] }, '""', "<n/>", ""],
  ])("takes a string wherever one is allowed: %j", (schema, literal, element, n) => {
    const known = { properties: { n: schema } };
    expect(parse(inModule[0], `{"m:order":{"n":${literal}}}`, known)).toEqual({ n });
    expect(parse(inModule[1], `<order xmlns="urn:m">${element}</order>`, known)).toEqual({ n });
  });

  it("reads [null] as empty only if the schema has that type", () => {
    const known = { properties: { n: { type: "array" } } };
    expect(parse(inModule[0], '{"m:order":{"n":[null]}}', known)).toEqual({ n: [null] });
  });

  it("keeps `__proto__` as a member", () => {
    const schema = { type: "object", additionalProperties: { type: "integer" } };
    const value: unknown = JSON.parse('{"__proto__":1}');
    for (const format of inModule) {
      expect(JSON.stringify(parse(format, serialize(format, value, schema), schema))).toBe('{"__proto__":1}');
    }
  });

  it("accepts any prefix for the namespace (RFC 7950 §8)", () => {
    const body = '<p:order xmlns:p="urn:m" xmlns:q="urn:m"><q:a>1</q:a><b xmlns="urn:m">2</b></p:order>';
    expect(parse(inModule[1], body, {})).toEqual({ a: "1", b: "2" });
  });

  it("rejects white space around a namespace, which not every parser ignores", () => {
    const body = '<order xmlns=" urn:m "><a>1</a></order>';
    expect(refusalOf(() => parse(inModule[1], body, {})).detail).toContain("attribute");
  });

  it("has no xsi:nil", () => {
    const nil = '<n xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:nil="true"/>';
    const body = `<order xmlns="urn:m">${nil}</order>`;
    expect(refusalOf(() => parse(inModule[1], body, {})).detail).toContain("attribute");
  });

  it("writes an array in anyxml as one element", () => {
    const operation = { operationId: "1", result: [1, [2], { a: [] }, null] };
    expect(inModule[1].serialize(operation, { kind: "operation", name: "order" })).toBe(
      '<operation xmlns="urn:m"><operationId>1</operationId><result>' +
        "<result>1</result><result><result>2</result></result><result/><result/></result></operation>",
    );
  });
});

describe("an order in YANG data", () => {
  const service = createOrderService({ authorize: allowAnonymous(), formats: orderYangFormats });

  function send(type: string | undefined, body: string | undefined, fields = {}) {
    const headers = { "content-type": type, ...fields };
    return service.handle({ method: "POST", path: "/orders", headers, body });
  }

  async function post(type: string, body: string) {
    const { status, body: text } = await send(type, body);
    const { type: problem, errors = [] } = JSON.parse(String(text)) as Partial<Problem>;
    return { status, type: problem, pointers: errors.map(({ pointer }) => pointer) };
  }

  it.each(orders)("with %s: %s gives %s", async (_, body, expected) => {
    const isXml = body.startsWith("<");
    const sent = body.replace("<order xmlns>", `<order xmlns="${NAMESPACE}">`);
    const reply = await post(`application/yang-data+${isXml ? "xml" : "json"}`, sent);
    expect([reply.status, ...reply.pointers.map((pointer) => `\`${pointer}\``)].join(" ")).toBe(expected);
    if (reply.status === 400) expect(reply.type).toBe(problemType("malformed-body"));
  });

  it.each(orderYangFormats)(
    "that is invalid is rejected with the same pointers as in JSON: $mediaTypes.0",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(invalidOrder, async (order) => {
          const inJson = await post("application/json", JSON.stringify(order));
          expect(inJson.status).toBe(422);
          const [type] = format.mediaTypes;
          expect(await post(type, serialize(format, order, orderSchema))).toEqual(inJson);
        }),
        { numRuns: effort(100, 500) },
      );
    },
  );

  it("is the same order as in JSON for an idempotency key", async () => {
    const order = { itemId: "book", quantity: 2 };
    const types = ["application/json", "application/yang-data+json", "application/yang-data+xml"];
    const [yangJson, yangXml] = orderYangFormats.map((format) => serialize(format, order, orderSchema));
    const replies = [JSON.stringify(order), yangJson, yangXml].map((body, at) =>
      send(types[at], body, { "idempotency-key": "same" }),
    );
    const bodies = (await Promise.all(replies)).map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
  });

  it("is neither read nor written as application/json", async () => {
    const order = '{"order-submission:order":{"itemId":"book","quantity":"2"}}';
    expect(await post("application/json", order)).toMatchObject({ status: 422 });
    const accept = "application/json;q=0, application/yang-data+json";
    const reply = await send("application/json", '{"itemId":"book","quantity":2}', { accept });
    expect(reply.headers["content-type"]).toBe("application/yang-data+json");
  });

  it("is accepted or rejected as malformed, for any bytes", () => {
    const texts = fc.string({ unit: fc.constantFrom(...'{}[]":,<>/= order-submission:1"null') });
    fc.assert(
      fc.property(fc.constantFrom(...orderYangFormats), texts, (format, text) => {
        try {
          parse(format, text, orderSchema);
        } catch (error) {
          expect(isAsyncReplyError(error) && error.code).toMatch(/^(MALFORMED_BODY|CONTRACT_VIOLATION)$/);
        }
      }),
    );
  });
});
