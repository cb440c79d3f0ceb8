import { allowAnonymous, createOrderService } from "async-request-reply";
import { xmlFormat } from "async-request-reply/xml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/contract/definition/definition.js";
import { decodeName, encodeName } from "../../src/formats/xml/names.js";
import { effort } from "../support/effort.js";
import { refusalOf } from "../support/refusal.js";
import { invalidOrder, memberName } from "./generated-orders.js";
import { describedInXml } from "./generated-schemas.js";

function parse(text: string, schema?: JsonSchema): unknown {
  const bytes = new TextEncoder().encode(text);
  return xmlFormat.parse(bytes, { limits: { maxDepth: 32 }, name: "order", schema });
}

function serialize(value: unknown): string {
  return xmlFormat.serialize(value, { kind: "resource", name: "order" });
}

describe("the XML format", () => {
  it("also reads text/xml, and writes problems as application/problem+xml", () => {
    expect(xmlFormat.mediaTypes).toEqual(["application/xml", "text/xml"]);
    expect(xmlFormat.problemMediaType).toBe("application/problem+xml");
  });

  it("reads back the values that it writes, with their schema", () => {
    fc.assert(
      fc.property(describedInXml, ({ schema, value }) => {
        expect(parse(serialize(value), schema)).toEqual(value);
      }),
      { numRuns: effort(300, 2_000) },
    );
  });

  it("writes null as one element, with the namespace of its attribute at the root", () => {
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    expect(serialize(null)).toBe(`<order ${xsi} xsi:nil="true"/>`);
    const nil = '<a xsi:nil="true"/>';
    expect(serialize({ a: [null, null] })).toBe(`<order ${xsi}>${nil}${nil}</order>`);
    expect(serialize({ a: ' xsi:nil="true"' })).not.toContain("xmlns");
  });

  it("accepts a byte order mark", () => {
    expect(parse("\ufeff<order/>", { type: "object" })).toEqual({});
  });

  it("without a schema, reads leaves as strings and one element per name", () => {
    expect(parse("<order><a>1</a><b>true</b><c/></order>")).toEqual({ a: "1", b: "true", c: "" });
    const refusal = refusalOf(() => parse("<order><a>1</a><a>2</a></order>"));
    expect(refusal.detail).toBe('The element "a" is repeated.');
  });

  it("follows references in a schema that refers to itself", () => {
    const children = { type: "array", items: { $ref: "#/$defs/tree" } };
    const properties = { "a/b": { type: "integer" }, children };
    const $defs = { tree: { type: "object", properties, required: ["children"] } };
    const schema = { $ref: "#/$defs/tree", $defs };
    const value = { children: [{ "a/b": 1, children: [] }, { children: [{ children: [] }] }] };
    expect(parse(serialize(value), schema)).toEqual(value);
    const m = { $ref: "#/$defs/tree/properties/a~1b" };
    const pointing = { type: "object", properties: { m }, $defs };
    expect(parse("<order><m>1</m></order>", pointing)).toEqual({ m: 1 });
  });

  it.each([
    { $ref: "#" },
    { allOf: [{ $ref: "#" }] },
    { anyOf: [{ $ref: "#/anyOf/0" }, true, null] },
    { $ref: "https://example.com/other" },
    { $ref: "#/%zz" },
    { $ref: "#/$defs/absent" },
    { properties: null, required: "all", enum: "a" },
  ])("ignores %j, which restricts nothing", (schema) => {
    expect(parse("<order>a</order>", schema as JsonSchema)).toBe("a");
    expect(parse("<order><b/></order>", schema as JsonSchema)).toEqual({ b: "" });
  });

  it("reads a lone nil element as null if both null and an array are allowed", () => {
    const schema = { properties: { m: { type: ["array", "null"], items: { type: ["integer", "null"] } } } };
    expect(parse(serialize({ m: null }), schema)).toEqual({ m: null });
    expect(parse(serialize({ m: [null, 1] }), schema)).toEqual({ m: [null, 1] });
    expect(parse(serialize({ m: [null] }), schema)).toEqual({ m: null });
  });

  it.each([{ properties: {} }, { additionalProperties: {} }, { required: ["a"] }])(
    "treats %j as an object schema, although it has no type",
    (schema) => {
      expect(parse("<order/>", schema)).toEqual({});
    },
  );

  it("reads an empty array only if every alternative requires it", () => {
    const tagged = { required: ["tags"], properties: { tags: { type: "array" } } };
    expect(parse("<order/>", { anyOf: [tagged, { type: "object" }] })).toEqual({});
    expect(parse("<order/>", { anyOf: [tagged, { title: "anything" }] })).toEqual({});
    expect(parse("<order/>", { anyOf: [tagged, { type: "null" }] })).toEqual({ tags: [] });
    expect(parse("<order/>", { oneOf: [tagged, { $ref: "#/oneOf/0" }] })).toEqual({ tags: [] });
    expect(parse("<order/>", { allOf: [tagged] })).toEqual({ tags: [] });
    const inMember = { anyOf: [{ properties: { m: tagged } }, { properties: { m: { type: "object" } } }] };
    expect(parse("<order><m/></order>", inMember)).toEqual({ m: {} });
  });

  it("writes characters that XML does not allow as U+FFFD", () => {
    const text = serialize({ a: "\u0000\u001f\ufffe\uffff\ud800b\udc00😀" });
    expect(text).toBe("<order><a>\ufffd\ufffd\ufffd\ufffd\ufffdb\ufffd😀</a></order>");
  });
});

describe("names of elements", () => {
  it("are different for different member names, and only for those", () => {
    fc.assert(
      fc.property(fc.oneof(memberName, fc.constantFrom("\ud800", "a\udc00_x0041_")), (name) => {
        expect(decodeName(encodeName(name))).toBe(name.toWellFormed());
      }),
      { numRuns: effort(1_000, 5_000) },
    );
  });

  it.each(["quantity", "é", "a-b.c", "_", "_xy", "_x00g0_", "_x041_"])(
    "are the member names if possible: %s",
    (name) => {
      expect([encodeName(name), decodeName(name)]).toEqual([name, name]);
    },
  );

  it("can have escapes in upper and lower case, even unnecessary ones", () => {
    expect(parse("<order><_x00e9_>1</_x00e9_><_x0061_/></order>")).toEqual({ é: "1", a: "" });
    expect(parse("<order><_xD83D__xDE00_/></order>")).toEqual({ "😀": "" });
  });
});

describe("an object that is not an order", () => {
  const service = createOrderService({ authorize: allowAnonymous(), formats: [xmlFormat] });
  const pointersOf = async (type: string, body: string): Promise<unknown> => {
    const headers = { "content-type": type };
    const reply = await service.handle({ method: "POST", path: "/orders", headers, body });
    const { errors } = JSON.parse(reply.body as string) as { errors?: readonly { pointer: string }[] };
    return [reply.status, errors?.map(({ pointer }) => pointer)];
  };

  it("is rejected with the same pointers as in JSON", async () => {
    await fc.assert(
      fc.asyncProperty(invalidOrder, async (order) => {
        const inJson = await pointersOf("application/json", JSON.stringify(order));
        expect(inJson).toEqual([422, expect.anything()]);
        expect(await pointersOf("application/xml", serialize(order))).toEqual(inJson);
      }),
      { numRuns: effort(100, 500) },
    );
  });
});
