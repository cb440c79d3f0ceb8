import { yamlFormat } from "async-request-reply/yaml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { effort } from "../support/effort.js";
import { isNumberKept } from "../support/exact-number.js";
import { refusalOf } from "../support/refusal.js";
import { INVALID, readYaml, refusalOfYaml } from "./read-yaml.js";

/** Declares a test for each text that is refused with this detail. */
function testRefusals(title: string, detail: string, texts: readonly string[]): void {
  it.each(texts)(title, (text) => {
    expect(refusalOfYaml(text)).toEqual(detail);
  });
}

describe("the YAML format", () => {
  it("reads application/yaml and the names that RFC 9512 §2.1 deprecates, and writes problems as JSON", () => {
    const types = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];
    expect(yamlFormat.mediaTypes).toEqual(types);
    expect(yamlFormat.problemMediaType).toBe("application/problem+json");
  });

  it("reads an order in any style", () => {
    const order = { itemId: "book", quantity: 2 };
    expect(readYaml("itemId: book\nquantity: 2\n")).toEqual(order);
    expect(readYaml("---\n# an order\n'itemId': \"book\"\r\n? quantity\r\n: +2\n...\n")).toEqual(order);
    expect(readYaml('{itemId: book, "quantity":0x2}')).toEqual(order);
    expect(readYaml("%YAML 1.2\n---\nitemId: >-\n  book\nquantity: 2.0")).toEqual(order);
  });
});

describe("types in YAML", () => {
  it.each<readonly [string, unknown]>([
    ["~", null],
    ["null", null],
    ["NULL", null],
    ["true", true],
    ["False", false],
    ["0o17", 15],
    ["0x1F", 31],
    ["010", 10],
    ["-0", -0],
    [".5", 0.5],
    ["-5.", -5],
    ["+1.e+3", 1000],
    // Text in YAML 1.2, another type in YAML 1.1.
    ..."yes NO on 1_000 1:30 0b11 -0x1F 2001-01-01 << = Infinity -.infinity nan . 1e 1.2.3"
      .split(" ")
      .map((text) => [text, text] as const),
  ])("are those of the core schema: %s (YAML 1.2.2 §10.3)", (text, value) => {
    expect(readYaml(`[a, ${text}]`)).toEqual(["a", value]);
    expect(readYaml(`a: ${text}`)).toEqual({ a: value });
    expect(readYaml(`a: "${text}"`)).toEqual({ a: text });
  });
});

it("reads an omitted value as null", () => {
  expect(readYaml("a:\nb: [{c}]\n? d")).toEqual({ a: null, b: [{ c: null }], d: null });
});

describe("numbers in YAML", () => {
  const INEXACT = "The body contains a number that cannot be represented exactly.";

  it.each([
    ..."9007199254740993 +9007199254740993 -09007199254740993 0x20000000000001".split(" "),
    ..."0o400000000000000001 1.000000000000000005 0.99999999999999999999 .99999999999999999999".split(" "),
    ..."1e400 -1.e400 1e-400 1e99999999999999999999".split(" "),
    ...[`1${"0".repeat(400)}`, `0x${"f".repeat(400)}`, `0o${"7".repeat(400)}`],
  ])("are refused where they would become others: %s", (text) => {
    expect(refusalOfYaml(`a: [${text}]`)).toBe(INEXACT);
    expect(readYaml(`a: "${text}"`)).toEqual({ a: text });
  });

  it.each([".inf", "-.Inf", "+.INF", ".nan", ".NaN"])("are rejected if they are not finite: %s", (text) => {
    expect(refusalOfYaml(`a: ${text}`)).toBe("The body contains a number that is not finite.");
    expect(readYaml(`a: '${text}'`)).toEqual({ a: text });
  });

  it.each([
    ..."9007199254740994 0x20000000000000 0o400000000000000000 0.1 0.10000000000000001".split(" "),
    ..."1.7976931348623157e308 5e-324 0e400 -.0e400".split(" "),
    ...[`1.${"0".repeat(400)}`, `${"0".repeat(400)}1`],
  ])("are accepted if they can be stored exactly: %s", (text) => {
    expect(readYaml(`a: ${text}`)).toEqual({ a: Number(text) });
  });

  it("agree with exact arithmetic about which are accepted", () => {
    const digits = fc.stringMatching(/^[09]{0,18}[0-9]{1,12}$/);
    const exponent = fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined });
    fc.assert(
      fc.property(digits, fc.option(digits, { nil: undefined }), exponent, (whole, fraction, power) => {
        const text = `${whole}${fraction === undefined ? "" : `.${fraction}`}${power === undefined ? "" : `e${power}`}`;
        if (isNumberKept(text)) expect(readYaml(text)).toBe(Number(text));
        else expect(refusalOfYaml(text)).toBe(INEXACT);
      }),
      { numRuns: effort(600, 3_000) },
    );
  });
});

describe("names in YAML", () => {
  testRefusals("are rejected if one is repeated: %j (YAML 1.2.2 §3.2.1.3)", expect.stringMatching(INVALID), [
    ...["a: 1\nb: 2\na: 3", "{a: 1, a: 1}", "a: 1\n'a': 2", '"\\x61": 1\na: 2'],
    ...["- b: {c: [{a, a}]}", "<<: 1\n<<: 2"],
  ]);

  testRefusals(
    "are rejected if one is not a string: %j (RFC 9512 §3.4)",
    "The body has a name that is not a string.",
    ["1: a", "1.5: a", "true: a", "~: a", ": a", "[a]: b", "? {a: b}\n: c", "{a: {0x1: b}}", "[1: a]"],
  );

  it("are rejected if a number repeats a string", () => {
    expect(refusalOfYaml('"1": a\n1: b')).toMatch(INVALID);
  });

  it("are plain data: `<<` merges nothing, and `__proto__` is not a prototype", () => {
    const value = readYaml("__proto__: {polluted: 1}\nconstructor: 2\n<<: {merged: 3}\n") as object;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"constructor":2,"<<":{"merged":3}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect("polluted" in value).toBe(false);
  });

  it("are compared within each object only", () => {
    const value = { a: { a: { a: 1 } }, b: [{ a: 1 }, { a: 1 }] };
    expect(readYaml("a: {a: {a: 1}}\nb: [{a: 1}, {a: 1}]")).toEqual(value);
  });
});

describe("a YAML feature that JSON does not have", () => {
  testRefusals(
    "is rejected: anchors and aliases, %j (RFC 9512 §4.2)",
    expect.stringMatching(/^The body has an anchor or an alias \(at offset \d+\)\.$/),
    ["&a 1", "a: &b c", "[&a 1, *a]", "&a [*a]", "*a", "a: &x {y: *x}", "&a : b", "- &a\n"],
  );

  testRefusals(
    "is rejected: tags, %j (RFC 9512 §4.1)",
    expect.stringMatching(/^The body has a tag \(at offset \d+\)\.$/),
    [
      ...["!!str 1", "!local a", "! a", "!<tag:yaml.org,2002:int> 1"],
      ...["a: !!binary aGk=", "!!set {a}", "!!js/function f"],
    ],
  );

  testRefusals(
    "is rejected: directives that change how the body is read, %j",
    "The body has a directive other than %YAML 1.2.",
    ["%YAML 1.1\n---\na", "%YAML 1.3\n---\na", "%TAG ! tag:example.org,2000:\n---\na"],
  );

  testRefusals(
    "is rejected: no document or several, %j (RFC 9512 §3.2)",
    "The body is not exactly one YAML document.",
    ["", " ", "# nothing", "...", "a\n---\nb", "---\n---", "a\n...\nb", "a\n...\n---\nb"],
  );
});

describe("text in YAML", () => {
  it.each([
    ["a stray continuation byte", [0x80]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["UTF-16", [0xff, 0xfe, 0x61, 0x00]],
  ])("is UTF-8: %s is refused", (_, bytes) => {
    expect(refusalOfYaml(Uint8Array.from(bytes))).toBe("The body is not valid UTF-8.");
  });

  testRefusals("is rejected with a lone surrogate: %s", "The body contains a lone surrogate.", [
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '{"\\ud83d": 1}',
    '"\\U0000DFFF"',
    '"\\U0000d83d a"',
  ]);

  testRefusals(
    "is rejected with an escape beyond Unicode: %s",
    expect.stringMatching(/^The body has an escape beyond U\+10FFFF \(at offset \d+\)\.$/),
    ['a: "\\U00110000"', 'a: "\\U80000041"', 'a: "\\\\\\UFFFFFFFF"', 'a: "\\x41\\U01000041"'],
  );

  it.each([
    ['"\\ud83d\\ude00\\U0001F600\\U0010FFFF"', "😀😀\u{10ffff}"],
    ['"\\\\U80000041\\\\\\\\U"', "\\U80000041\\\\U"],
    ["\\U80000041", "\\U80000041"],
    ["'\\U80000041'", "\\U80000041"],
    ['"\\0\\x07\\b\\e\\N\\_\\L\\P\\/"', "\0\x07\b\x1b\u0085\u00a0\u2028\u2029/"],
    ["'\ufeff'", "\ufeff"],
    ['"\ufeff\x7f"', "\ufeff\x7f"],
    ["a\u2028b", "a\u2028b"],
  ])("is read correctly: %j", (text, value) => {
    expect(readYaml(text)).toBe(value);
  });

  it("is rejected with a byte order mark at the beginning or outside of quotes", () => {
    expect(refusalOfYaml("\ufeffa: 1")).toBe("The body begins with a byte order mark.");
    for (const text of ["\n\ufeffa: 1", "a: b\ufeff", "|\n  a\ufeff"]) {
      expect(refusalOfYaml(text)).toMatch(/^The body has an unquoted byte order mark/);
    }
  });

  testRefusals(
    "is rejected with an indented document marker or directive: %j",
    "The body begins with an indented document marker or directive.",
    [" ---\na: b", "\t--- a", " %YAML 1.2\n---\na"],
  );

  it.each([
    ...["a: b: c", "{", "[a", "a: 1\n b: 2", "- a\nb: c", "a:\n\t- b", '"a', "a: @b", "a: |\n  b\n c"],
    ...['"\\q"', "a: \0", "a: \x01", "'\x1b'", "[a]]", "[a,,b]", "%YAML 1.2", "key: [secret, }"],
  ])("is rejected with a detail that does not quote it: %j", (text) => {
    expect(refusalOfYaml(text)).toMatch(INVALID);
    expect(refusalOf(() => readYaml(text)).cause).toBeUndefined();
  });
});
