import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonFormat } from "../../src/formats/json.js";
import { decodeUtf8 } from "../../src/formats/malformed.js";
import { codePoint } from "../support/code-point.js";
import { describeCorpus } from "../support/corpora.js";
import { equalNumbers } from "../support/exact-number.js";
import { refusalOf } from "../support/refusal.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const context = { limits: { maxDepth: 32 }, name: "orders", schema: undefined };
const parse = (bytes: Uint8Array): unknown => jsonFormat.parse(bytes, context);

/** Parses the bytes strictly. Returns no value if they are rejected as malformed. */
function parsed(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: parse(bytes) };
  } catch {
    expect(refusalOf(() => parse(bytes)).code).toBe("MALFORMED_BODY");
    return undefined;
  }
}

describe("strict UTF-8", () => {
  it.each([
    ["a stray continuation byte", [0x80]],
    ["a truncated sequence", [0xe6, 0x97]],
    ["an overlong form", [0xc0, 0xaf]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a code point beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["Latin-1", [0xe9]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])("refuses %s instead of replacing it (RFC 7493 §2.1)", (_, bytes) => {
    const refusal = refusalOf(() => parse(Uint8Array.from([0x22, ...bytes, 0x22])));
    expect(refusal).toMatchObject({ code: "MALFORMED_BODY", detail: "The body is not valid UTF-8." });
  });

  it("is not affected by invalid bytes of an earlier call", () => {
    refusalOf(() => decodeUtf8(Uint8Array.from([0xe6, 0x97])));
    expect(decodeUtf8(bytesOf("é日😀"))).toBe("é日😀");
  });

  it("keeps a byte order mark, so that the JSON parser rejects it (RFC 8259 §8.1)", () => {
    expect(decodeUtf8(bytesOf("\ufeff{}"))).toBe("\ufeff{}");
    expect(refusalOf(() => parse(bytesOf("\ufeff{}"))).detail).toContain("byte order mark");
  });
});

describe("the JSON format", () => {
  it("reads and writes application/json and nothing else", () => {
    expect(jsonFormat.mediaTypes).toEqual(["application/json"]);
    expect(jsonFormat.problemMediaType).toBe("application/problem+json");
  });

  it("rejects an empty body (RFC 8259 §2)", () => {
    expect(parsed(new Uint8Array())).toBeUndefined();
  });

  it("reads what it writes, without a byte order mark", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: codePoint }), (value) => {
        const text = jsonFormat.serialize(value, { kind: "operation", name: "orders" });
        expect(text.startsWith("\ufeff")).toBe(false);
        expect(parse(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describeCorpus("json-parsing", (cases) => {
  const verdicts = { accept: true, reject: false, "reject-duplicate": false, either: undefined };
  for (const { name, verdict, base64 = "" } of cases) {
    it(`${verdict}: ${name}`, () => {
      const bytes = Buffer.from(base64, "base64");
      const expected = verdicts[verdict as keyof typeof verdicts];
      const result = parsed(bytes);
      if (expected !== undefined) expect(result !== undefined).toBe(expected);
      // If the grammar leaves it open, an accepted text must have the value that JSON.parse returns.
      else if (result !== undefined) expect(result.value).toEqual(JSON.parse(bytes.toString("utf8")));
    });
  }
});

describeCorpus("json-transform", (cases) => {
  for (const { name, verdict, base64 = "" } of cases) {
    it(`changes nothing silently: ${name}`, () => {
      const bytes = Buffer.from(base64, "base64");
      const result = parsed(bytes);
      if (verdict === "reject-duplicate") expect(result).toBeUndefined();
      if (result === undefined) return;
      expect(equalNumbers(JSON.stringify(result.value), bytes.toString("utf8").trim())).toBe(true);
    });
  }
});

describeCorpus("naughty-strings", (cases) => {
  for (const { name, value = "" } of cases) {
    it(`keeps string ${name} unchanged as a value and as a name`, () => {
      const order = { itemId: value, [value]: 1 };
      expect(parse(bytesOf(JSON.stringify(order)))).toEqual(order);
    });
  }
});
