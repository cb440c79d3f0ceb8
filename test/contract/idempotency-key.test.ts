import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIdempotencyKey } from "../../src/contract/idempotency-key.js";
import { describeCorpus } from "../support/corpora.js";
import { countedText } from "../support/counted-text.js";
import { refusalOf } from "../support/refusal.js";

const uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
const asString = (key: string): string => `"${key.replace(/["\\]/g, "\\$&")}"`;

function keyOf(value: string): string | undefined {
  try {
    return parseIdempotencyKey(value);
  } catch {
    expect(refusalOf(() => parseIdempotencyKey(value)).code).toBe("INVALID_IDEMPOTENCY_KEY");
    return undefined;
  }
}

describe("an idempotency key", () => {
  it.each([
    [`"${uuid}"`, uuid],
    [uuid, uuid],
    [`  "${uuid}"\t `, uuid],
    [`\t${uuid}  `, uuid],
    ['"a b, c; d"', "a b, c; d"],
    ['"   "', "   "],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    [String.raw`a\b`, String.raw`a\b`],
    ["1", "1"],
    ["1.50", "1.50"],
    [":YWJj:", ":YWJj:"],
    ["?1", "?1"],
    ["(a)", "(a)"],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["order/42~x=y'[{|}]!", "order/42~x=y'[{|}]!"],
  ])("is read from %j", (value, key) => {
    expect(parseIdempotencyKey(value)).toBe(key);
  });

  it("is the same in both spellings, so that they never create two orders", () => {
    const visible = fc.stringMatching(/^[!#-+\--:<-~]{1,255}$/);
    fc.assert(
      fc.property(visible, (key) => {
        expect(parseIdempotencyKey(key)).toBe(key);
        expect(parseIdempotencyKey(asString(key))).toBe(key);
      }),
    );
  });

  it("may contain any printable ASCII if it is quoted (RFC 8941 §3.3.3)", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{1,255}$/), (key) => {
        expect(parseIdempotencyKey(asString(key))).toBe(key);
      }),
    );
  });

  it.each(["x".repeat(255), asString("x".repeat(255)), asString('"'.repeat(255))])(
    "may have 255 characters: %j",
    (value) => {
      expect(parseIdempotencyKey(value)).toHaveLength(255);
    },
  );

  it.each([
    ["", 0],
    [" \t", 0],
    ['""', 0],
    ['"";a=1', 0],
    ["x".repeat(256), 256],
    [asString("x".repeat(256)), 256],
  ])("is refused for its length with a clear message: %j", (value, length) => {
    const { code, detail } = refusalOf(() => parseIdempotencyKey(value));
    expect(code).toBe("INVALID_IDEMPOTENCY_KEY");
    expect(detail).toBe(`The header field Idempotency-Key must have 1 to 255 characters, not ${length}.`);
  });

  it("is refused with a value of more than 4096 characters", () => {
    expect(refusalOf(() => parseIdempotencyKey(`"k";a="${"x".repeat(4096)}"`)).detail).toContain("4096");
  });

  const refused = {
    "a bare key ends at such a character": ["a b", "a,b", "a, b", "a;b=1", 'a"b', 'a"'],
    "it is a list": ['"a", "b"', '"a"b', '"a""b"', '"a" b'],
    "the quotes are not closed": ['"a', '"a\\"', '"a\\'],
    "only a quote and a backslash can be escaped": [String.raw`"a\n"`, String.raw`"a\u0041"`],
    "it has a control character": ['"a\tb"', '"a\u0000"', "a\u0000", "a\nb", "a\r\nx: y", "\u007f"],
    "it is not ASCII": ["é", '"é"', '"日"', "\u00a0a", "\ud800"],
  };

  it.each(Object.values(refused).flat())("is refused: %j (RFC 8941 §4.2)", (value) => {
    expect(keyOf(value)).toBeUndefined();
  });

  it("is refused in a sentence that does not repeat it", () => {
    const { detail } = refusalOf(() => parseIdempotencyKey('secret-é"'));
    expect(detail).not.toContain("secret");
  });
});

describe("parameters after a quoted key", () => {
  const ignored = {
    names: [";a", "; a", ";  a=1", ";*a-b_c.d*0=1;b;c", ";a;a=1 \t"],
    numbers: [";a=-1", ";a=999999999999999", ";a=123456789012.123", ";a=-0.0"],
    texts: [';a="x;y, \\" \\\\ "', ';a=""', ";a=token/x:y*", ";a=*"],
    others: [";a=:YWJj:", ";a=::", ";a=?0;b=?1"],
  };

  it.each(Object.values(ignored).flat())("are ignored: %s (RFC 8941 §3.1.2)", (parameters) => {
    expect(parseIdempotencyKey(`"k"${parameters}`)).toBe("k");
  });

  const malformed = {
    names: [";", "; ", ";;a", " ;a", "\t;a", ";\ta", ";A", ";1", ";a b"],
    values: [";a=", ";a =1", ";a= 1", ";a=(1 2)", ";a=é", ";a=1,b"],
    signs: [";a=-", ";a=--1"],
    fractions: [";a=1.", ";a=.1", ";a=1.2.3", ";a=1.2345", ";a=1234567890123.1"],
    integers: [";a=1234567890123456"],
    texts: [';a="x', ';a="\\x"'],
    bytes: [";a=:YWJj", ";a=:YWJj ", ";a=:Y J:"],
    booleans: [";a=?", ";a=?2", ";a=?1x"],
  };

  it.each(Object.values(malformed).flat())("make the value malformed: %s (RFC 8941 §4.2.3)", (parameters) => {
    expect(keyOf(`"k"${parameters}`)).toBeUndefined();
  });
});

describe("a hostile value", () => {
  it("is refused or becomes a key of printable ASCII", () => {
    const value = fc.string({ unit: fc.constantFrom(...'ab1.-*:?=;,"\\ \té\u0000'), maxLength: 30 });
    fc.assert(
      fc.property(value, (text) => {
        const key = keyOf(text);
        if (key !== undefined) expect(key).toMatch(/^[ -~]{1,255}$/);
      }),
      { numRuns: 3000 },
    );
  });

  // Linear by construction. A value of more than 4096 characters is refused unread.
  it.each([",", ";", '"', "\\", " ", "a", '\\"', ";a=b", ';a="\\\\"', ";a=1.5", ";a=:b:"])(
    "is read in linear time: %j repeated",
    (unit) => {
      for (const prefix of ["", '"', '"k"', '"k";a=', '"k";a="']) {
        for (const length of [512, 1024, 2048, 4096]) {
          const { text, count } = countedText((prefix + unit.repeat(length)).slice(0, length));
          try {
            parseIdempotencyKey(text);
          } catch {
            // Only the steps matter here.
          }
          expect(count.steps).toBeLessThan(8 * length);
        }
      }
    },
  );
});

describeCorpus("structured-fields", (cases) => {
  // The corpus tests Structured Field Items. Each intentional difference has a reason.
  const exceptions: Readonly<Record<string, { key?: string; reason: string }>> = {
    "string.json: empty string": { reason: "a key has at least one character" },
    "string.json: long string": { reason: "a key has at most 255 characters, this one has 260" },
    "item.json: leading space": { key: "1", reason: "HTTP allows spaces and tabs around a field value" },
    "item.json: leading and trailing space": { key: "1", reason: "a bare key, not an integer" },
    "item.json: leading and trailing whitespace": { key: "1", reason: "a bare key, not an integer" },
  };

  for (const { name, verdict, raw = [], expected } of cases) {
    const [line = "", ...more] = raw;
    // The caller refuses a repeated header field before the key is read (draft §2.1, RFC 8941 §4.2).
    if (more.length > 0) continue;
    const exception = exceptions[name];
    it(`${exception?.reason ?? verdict}: ${name}`, () => {
      if (exception !== undefined) expect(keyOf(line)).toBe(exception.key);
      else expect(keyOf(line)).toBe(verdict === "reject" ? undefined : textOf(expected));
    });
  }

  function textOf(expected: unknown): string {
    const [item] = expected as [string | { readonly value: string }];
    return typeof item === "string" ? item : item.value;
  }
});

describeCorpus("naughty-strings", (cases) => {
  for (const { name, value = "" } of cases) {
    it(`accepts string ${name} unchanged or refuses it`, () => {
      expect(keyOf(asString(value))).toBe(/^[ -~]{1,255}$/.test(value) ? value : undefined);
      const bare = value.replace(/^[ \t]+|[ \t]+$/g, "");
      if (!value.includes('"'))
        expect(keyOf(value)).toBe(/^[!-+\--:<-~]{1,255}$/.test(bare) ? bare : undefined);
    });
  }
});
