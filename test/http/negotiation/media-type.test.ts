import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMediaType } from "../../../src/http/negotiation/media-type.js";
import { countedText } from "../../support/counted-text.js";

describe("a media type", () => {
  it.each([
    ["application/json", "application/json", {}],
    ["Application/JSON", "application/json", {}],
    [" \tapplication/json\t ", "application/json", {}],
    ["application/yang-data+json", "application/yang-data+json", {}],
    ["text/x;CharSet=UTF-8", "text/x", { charset: "UTF-8" }],
    ['text/x; charset="utf-8"', "text/x", { charset: "utf-8" }],
    ['text/x;a="b;c, \\"d\\" \\\\ \\e";f=g', "text/x", { a: 'b;c, "d" \\ e', f: "g" }],
    ['text/x;a=""', "text/x", { a: "" }],
    ['text/x;a="\té"', "text/x", { a: "\té" }],
    ["text/x ; a=b\t;\tc=d", "text/x", { a: "b", c: "d" }],
    ["text/x;;a=b; ;", "text/x", { a: "b" }],
    ["text/x;__proto__=1;constructor=2", "text/x", { ["__proto__"]: "1", constructor: "2" }],
    ["!#$%&'*+-.^_`|~09Az/x", "!#$%&'*+-.^_`|~09az/x", {}],
  ])("is read: %j (RFC 9110 §8.3.1)", (value, type, parameters) => {
    const mediaType = parseMediaType(value);
    expect(mediaType?.type).toBe(type);
    expect([...(mediaType?.parameters ?? [])]).toEqual(Object.entries(parameters));
  });

  const malformed = {
    "no type and subtype": ["", " ", "application", "/", "application/", "/json", "application//json"],
    "a space in the type": ["application /json", "application/ json", "application/json application/json"],
    "a list": ["application/json, application/json"],
    "no parameter": ["text/x;charset", "text/x;charset=", "text/x;=utf-8"],
    "a space in a parameter": ["text/x;charset =utf-8", "text/x;charset= utf-8", "text/x;charset=utf 8"],
    "an open quote": ['text/x;charset="utf-8', 'text/x;charset="utf-8\\', 'text/x;charset="utf-8"x'],
    "a control character": ['text/x;charset="\u0000"', 'text/x;charset="\\\u007f"', "text/x\u0000"],
    "a line": ["application/json\r\nx: y"],
    "other than ASCII": ['text/x;charset="\u0100"', "appliçation/json", "application/json;a=é"],
    "too long": [`application/json;a=${"b".repeat(1024)}`],
  };

  it.each(Object.values(malformed).flat())("is malformed: %j (RFC 9110 §5.6.6)", (value) => {
    expect(parseMediaType(value)).toBeUndefined();
  });

  it("is malformed if a parameter is repeated (RFC 6838 §4.3)", () => {
    expect(parseMediaType("application/json;charset=utf-8;Charset=utf-8")).toBeUndefined();
  });

  it("is read back as it was written", () => {
    const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-z-]{1,10}$/);
    const quotable = fc.string({ unit: fc.constantFrom(...'a \t"\\;,=é~'), maxLength: 10 });
    fc.assert(
      fc.property(
        token,
        token,
        fc.uniqueArray(fc.tuple(token, quotable), { selector: ([n]) => n }),
        (type, sub, list) => {
          const parameters = list.map(([name, value]) => `; ${name}="${value.replace(/["\\]/g, "\\$&")}"`);
          const mediaType = parseMediaType(`${type}/${sub}${parameters.join("")}`);
          expect(mediaType).toEqual({ type: `${type}/${sub}`, parameters: new Map(list) });
        },
      ),
    );
  });

  // Linear by construction. A hostile value has at most 1024 characters.
  it.each([",", ";", '"', "\\", "/", " ", "a", ";a=b", ';a="\\"', ';a="",'])(
    "is read in linear time: %j repeated",
    (unit) => {
      const stepsFor = (length: number): number => {
        const { text, count } = countedText(`a/b${unit.repeat(length)}`.slice(0, length));
        parseMediaType(text);
        return count.steps;
      };
      for (const length of [256, 512, 1024, 2048, 4096, 8192])
        expect(stepsFor(length)).toBeLessThan(8 * length);
    },
  );
});
