import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStrictJson } from "../../src/formats/json.js";
import { countedText } from "../support/counted-text.js";
import { effort } from "../support/effort.js";
import { isNumberKept } from "../support/exact-number.js";
import { refusalOf } from "../support/refusal.js";
import { hasRepeatedName, tree, write } from "./json-tree.js";

const limits = { maxDepth: 32 };
const parse = (text: string): unknown => parseStrictJson(text, limits);
const detailOf = (text: string): string => {
  const { code, detail } = refusalOf(() => parse(text));
  expect(code).toBe("MALFORMED_BODY");
  return detail;
};

describe("names", () => {
  it.each([
    ['{"a":1,"a":1}', "a", 7],
    ['{"a":1,"b":{},"a":2}', "a", 14],
    ['[0,{"x":{"a":1,"b":[],"a":[]}}]', "a", 22],
    ['{"a":{"b":[{"c":1}]},"a":{"b":[{"c":1}]}}', "a", 21],
    ['{"":1,"":2}', "", 6],
    ['{"a":{"a":1,"b":2},"b":3,"c":4,"c":5}', "c", 31],
    ['{ "a" : 1 , "a" : 2 }', "a", 12],
    ['{"__proto__":1,"__proto__":2}', "__proto__", 15],
    ['{"10":1,"9":2,"10":3}', "10", 14],
  ])("rejects a name repeated in one object, at any depth: %s (RFC 7493 §2.3)", (text, name, offset) => {
    expect(detailOf(text)).toBe(
      `The name ${JSON.stringify(name)} is repeated in one object (at offset ${offset}).`,
    );
  });

  it.each([
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"\u0061":1,"a":2}`,
    String.raw`{"a\"b":1,"a\u0022b":2}`,
    String.raw`{"\\":1,"\u005C":2}`,
    String.raw`{"/":1,"\/":2}`,
    String.raw`{"😀":1,"\ud83d\ude00":2}`,
  ])("rejects a name repeated after unescaping: %s (RFC 8259 §4)", (text) => {
    expect(detailOf(text)).toContain("is repeated in one object");
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a:1,a:2"}',
    String.raw`{"a":1,"\\u0061":2}`,
    '{"\u00e9":1,"e\u0301":2}',
    String.raw`{"a\"":1,"a":"\",\"a\":1"}`,
    '{"1":1,"01":2,"1.0":3}',
  ])("accepts names that differ: %s", (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it("keeps `__proto__` and `constructor` as members and pollutes nothing", () => {
    const value = parse('{"__proto__":{"polluted":1},"constructor":2}') as object;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect("polluted" in value).toBe(false);
  });

  it("shortens a long name in the detail", () => {
    const name = "n".repeat(10_000);
    expect(detailOf(`{"${name}":1,"${name}":2}`).length).toBeLessThan(150);
  });

  it("agrees with a tree of the document about repeated names", () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat(5)), (node, style) => {
        const text = write(node, style);
        if (hasRepeatedName(node)) expect(detailOf(text)).toContain("is repeated in one object");
        else expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: effort(400, 2_000) },
    );
  });
});

describe("depth", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  it("takes what is nested as deep as the bound and refuses one level more (RFC 8259 §9)", () => {
    expect(JSON.stringify(parse(nested(32)))).toBe(nested(32));
    expect(detailOf(nested(33))).toBe("The body is nested more than 32 levels deep (at offset 32).");
    expect(detailOf('{"a":'.repeat(33))).toContain("32 levels");
  });

  it("allows no objects and arrays with a limit of 0", () => {
    expect(parseStrictJson("1", { maxDepth: 0 })).toBe(1);
    expect(refusalOf(() => parseStrictJson("[]", { maxDepth: 0 })).code).toBe("MALFORMED_BODY");
  });

  it("counts depth, not objects", () => {
    const text = `[${Array.from({ length: 100 }, () => '{"a":[]}').join()}]`;
    expect(parseStrictJson(text, { maxDepth: 3 })).toHaveLength(100);
  });

  it("ignores brackets in strings", () => {
    const text = JSON.stringify({ a: "[{".repeat(100), [`\\"${"[".repeat(100)}`]: 1 });
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["100,000 opening brackets", "[".repeat(100_000)],
    ["an array in an object, 50,000 times", '[{"":'.repeat(50_000)],
  ])("rejects %s without a stack overflow", (_, text) => {
    expect(detailOf(text)).toContain("32 levels");
    expect(refusalOf(() => parseStrictJson(text, { maxDepth: 1e9 })).detail).toBe(
      "The body is not valid JSON.",
    );
  });

  it("does not overflow the stack if the limit allows great depth", () => {
    const text = `${'{"a":['.repeat(20_000)}${"]}".repeat(20_000)}`;
    let depth = 0;
    for (let value = parseStrictJson(text, { maxDepth: 40_000 }); value !== undefined; depth += 1)
      value = (value as { readonly a?: unknown }).a ?? (value as readonly unknown[])[0];
    expect(depth).toBe(40_000);
  });
});

describe("numbers", () => {
  it.each([
    ..."1.000000000000000005 9007199254740993 10000000000000000999 -9223372036854775808".split(" "),
    ..."0.99999999999999999999 1e400 -1e400 1e-400 123123e100000 1e99999999999999999999".split(" "),
    ...["1.00000000000000000001e5", `1${"0".repeat(400)}`, `0.${"0".repeat(400)}1`],
  ])("refuses %s, which would become another number", (text) => {
    expect(detailOf(`[1,${text}]`)).toBe(
      "The body contains a number that cannot be represented exactly (at offset 3).",
    );
    expect(detailOf(text)).toContain("(at offset 0)");
  });

  it.each([
    ..."0 -0 100000000000000000000 9007199254740992 9007199254740994".split(" "),
    ..."1.0 0.1 0.10000000000000001 123456789.12345678901234567890 1e0 -1.0E+2 1E22 1e300 1e-7".split(" "),
    ..."0e400 -0e400 -0.5e1 -0.00150e5 0.000e-99999999999999999999 1.7976931348623157e308 5e-324".split(" "),
    ...[`1.${"0".repeat(400)}`, `${"1".padEnd(301, "0")}e-300`],
  ])("takes %s (RFC 7493 §2.2)", (text) => {
    expect(parse(text)).toBe(Number(text));
    expect(parse(`{"a":[${text}],"b":${text}}`)).toEqual({ a: [Number(text)], b: Number(text) });
  });

  it("accepts every finite double as JSON writes it", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parse(JSON.stringify(number))).toBe(number === 0 ? 0 : number);
      }),
    );
  });

  it("agrees with exact arithmetic about which numbers are kept", () => {
    const digits = fc.stringMatching(/^[09]{0,18}[0-9]{1,12}$/);
    const exponent = fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined });
    fc.assert(
      fc.property(digits, fc.option(digits, { nil: undefined }), exponent, (whole, fraction, power) => {
        const integer = whole.replace(/^0+(?=\d)/, "");
        const text = `${integer}${fraction === undefined ? "" : `.${fraction}`}${power === undefined ? "" : `e${power}`}`;
        if (isNumberKept(text)) expect(parse(text)).toBe(Number(text));
        else expect(detailOf(text)).toContain("cannot be represented");
      }),
      { numRuns: effort(600, 3_000) },
    );
  });
});

describe("text", () => {
  it.each([
    [String.raw`["\ud800"]`, 2],
    [String.raw`["a\uDC00"]`, 3],
    [String.raw`["\udc00\ud800"]`, 2],
    [String.raw`["\ud800\ud800"]`, 2],
    [String.raw`["\udc00\udc00"]`, 2],
    [String.raw`["\ud800\ue000"]`, 2],
    [String.raw`["\ud800\\udc00"]`, 2],
    [String.raw`{"\ud800":1}`, 2],
    [String.raw`["\\\ud800"]`, 4],
    [String.raw`["\ud800\u0041"]`, 2],
    ['["\ud800"]', 2],
    ['{"\udfff":1}', 2],
    ['["😀\ud83d"]', 4],
  ])("rejects a lone surrogate: %j (RFC 7493 §2.1)", (text, offset) => {
    expect(detailOf(text)).toBe(`The body contains a lone surrogate (at offset ${offset}).`);
  });

  it.each([
    ...[String.raw`["\ud83d\ude00"]`, String.raw`["\\ud800"]`, String.raw`["\u0000"]`, '["😀"]'],
    String.raw`["\\\\ud800", "\\d", "\u00d8", "\ud7ff\ue000"]`,
  ])("accepts whole pairs and text that only looks like a lone surrogate: %s", (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it("rejects a byte order mark (RFC 8259 §8.1)", () => {
    expect(detailOf("\ufeff{}")).toBe("The body begins with a byte order mark (at offset 0).");
  });

  it.each([
    ...["{", '{"a":1,}', "[1 2]", "{} {}", "// a\n1", "True", "'a'", "NaN", "01", "+1", "1."],
    ...['"\t"', '"', "\\"],
  ])("refuses %j without a word of the engine (RFC 8259 §2)", (text) => {
    expect(detailOf(text)).toBe("The body is not valid JSON.");
  });

  it.each(["", " \r\n\t"])("says that the text %j is empty", (text) => {
    expect(detailOf(text)).toBe("The body is empty.");
  });

  it("refuses nothing but with its own error, and takes nothing that JSON.parse refuses", () => {
    const jsonLike = fc.string({
      unit: fc.constantFrom(...'{}[]:,"\\0123456789.eE+-/truefalsn \n\t\u0001duD8c\ud83d\ude00'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(jsonLike, (text) => {
        let value: unknown;
        try {
          value = parse(text);
        } catch {
          expect(refusalOf(() => parse(text)).code).toBe("MALFORMED_BODY");
          return;
        }
        expect(value).toEqual(JSON.parse(text));
      }),
      { numRuns: effort(1_000, 5_000) },
    );
  });
});

describe("time", () => {
  it.each([
    ...['"', "\\", '\\"', '"\\', '\\\\"', ",", ":", "[", "]", "{", "}", "0", "1e", "-", " "],
    ...["\\ud800\\udc00", '"":', '["",', "[1]"],
  ])("is linear in a text of %j", (unit) => {
    const stepsFor = (length: number): number => {
      const { text, count } = countedText(unit.repeat(length / unit.length));
      expect(refusalOf(() => parseStrictJson(text, { maxDepth: 1e9 })).code).toBe("MALFORMED_BODY");
      return count.steps;
    };
    for (const length of [2048, 4096, 8192]) expect(stepsFor(length)).toBeLessThan(12 * length);
  });

  it.each(['"a":1,', String.raw`"a\\\"":"\"",`, '"a":[{"a":{}}],', '"a":10000000000000000,'])(
    "is linear in an object that repeats %j",
    (member) => {
      for (const length of [2048, 4096, 8192]) {
        const { text, count } = countedText(`{"b":0,${member.repeat(length / member.length)}"c":0}`);
        expect(refusalOf(() => parse(text)).detail).toContain("is repeated in one object");
        expect(count.steps).toBeLessThan(12 * length);
      }
    },
  );
});
