import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/contract/json/canonical-json.js";
import { refusalOf } from "../../support/refusal.js";

describe("the canonical form", () => {
  it("matches the example of RFC 8785 §3.2", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("sorts members by UTF-16 code units (RFC 8785 §3.2.3)", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const value = Object.fromEntries(names.map((name) => [name, 0]));
    const sorted = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"];
    expect(canonicalJson(value)).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join()}}`);
  });

  it("sorts names that look like integers as strings", () => {
    expect(canonicalJson(JSON.parse('{"9":1,"10":2,"1":3,"b":4,"a":5}'))).toBe(
      '{"1":3,"10":2,"9":1,"a":5,"b":4}',
    );
  });

  it.each([
    ["1.0", "1"],
    ["-0", "0"],
    ["1e21", "1e+21"],
    ["1e20", "100000000000000000000"],
    ["1e-6", "0.000001"],
    ["1e-7", "1e-7"],
    ["5e-324", "5e-324"],
    ["1.7976931348623157e308", "1.7976931348623157e+308"],
    ["9007199254740991", "9007199254740991"],
  ])("writes the number %s like ECMAScript: %s (RFC 8785 §3.2.2.3)", (text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  });

  it("escapes only what must be escaped (RFC 8785 §3.2.2.2)", () => {
    expect(canonicalJson('\b\t\n\f\r\u0000\u001f"\\/\u007f\u2028é😀')).toBe(
      `"${String.raw`\b\t\n\f\r\u0000\u001f\"\\/`}\u007f\u2028é😀"`,
    );
  });

  it("keeps `__proto__` as a member, and accepts objects of any realm or without a prototype", () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1},"b":1}');
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: [] }))).toBe('{"a":[],"b":1}');
    expect(canonicalJson(runInNewContext('({ b: [{}], a: "x" })'))).toBe('{"a":"x","b":[{}]}');
  });

  it("is the same for every order of members and parses to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(canonical);
        expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ["undefined", undefined],
    ["a member that is undefined", { a: undefined }],
    ["NaN", Number.NaN],
    ["Infinity", [Number.POSITIVE_INFINITY]],
    ["a bigint", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a hole in an array", new Array(1)],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["bytes", new Uint8Array(1)],
    ["an error", new Error("e")],
    ["a boxed string", { a: new String("s") }],
    ["an object of a class", new (class Order {})()],
  ])("is refused to %s, which no parser produces", (_, value) => {
    expect(refusalOf(() => canonicalJson(value)).code).toBe("INTERNAL");
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}
