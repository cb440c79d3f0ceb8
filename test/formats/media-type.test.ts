import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Format } from "../../src/formats/format.js";
import { jsonFormat } from "../../src/formats/json.js";
import { parseMediaType, refuseContentCoding, requestFormat } from "../../src/formats/media-type.js";
import { countedText } from "../counted-text.js";
import { refusalOf } from "../refusal.js";

const yamlFormat: Format = {
  ...jsonFormat,
  mediaTypes: ["application/yaml", "application/x-yaml", "text/yaml"],
};
const formats = [jsonFormat, yamlFormat];

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

  it.each([
    "",
    " ",
    "application",
    "/",
    "application/",
    "/json",
    "application//json",
    "application /json",
    "application/ json",
    "application/json application/json",
    "application/json, application/json",
    "application/json;charset",
    "application/json;charset=",
    "application/json;=utf-8",
    "application/json;charset =utf-8",
    "application/json;charset= utf-8",
    "application/json;charset=utf 8",
    'application/json;charset="utf-8',
    'application/json;charset="utf-8\\',
    'application/json;charset="utf-8"x',
    'application/json;charset="\u0000"',
    'application/json;charset="\\\u007f"',
    'application/json;charset="\u0100"',
    "application/json\u0000",
    "application/json\r\nx: y",
    "appliçation/json",
    "application/json;a=é",
    `application/json;a=${"b".repeat(1024)}`,
  ])("is malformed: %j (RFC 9110 §5.6.6)", (value) => {
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

describe("the format of a body", () => {
  it.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json;version=1;profile=x",
  ])("is JSON for %s (RFC 9110 §8.3.1, RFC 8259 §11)", (contentType) => {
    expect(requestFormat(contentType, formats)).toBe(jsonFormat);
  });

  it("is also found by an alias (RFC 9512)", () => {
    expect(requestFormat("text/yaml", formats)).toBe(yamlFormat);
  });

  it.each([
    [undefined, "The header field Content-Type is required."],
    ["", "The header field Content-Type is malformed."],
    ["json", "The header field Content-Type is malformed."],
    ["application/json;charset=", "The header field Content-Type is malformed."],
    ["application/json, application/json", "The header field Content-Type is malformed."],
    ["text/plain", "This media type is not supported."],
    ["*/*", "This media type is not supported."],
    ["application/yang-data+json", "This media type is not supported."],
    ["application/problem+json", "This media type is not supported."],
    ["application/json;charset=iso-8859-1", "Only the charset utf-8 is supported."],
    ["application/json;charset=utf-16", "Only the charset utf-8 is supported."],
    ['application/json;charset=""', "Only the charset utf-8 is supported."],
  ])(
    "is rejected for %j, and the reply lists the supported types (RFC 9110 §15.5.16)",
    (contentType, reason) => {
      const { code, detail, context } = refusalOf(() => requestFormat(contentType, formats));
      expect(code).toBe("UNSUPPORTED_MEDIA_TYPE");
      expect(detail).toBe(`${reason} Supported: application/json, application/yaml.`);
      expect(context.headers).toEqual({ accept: "application/json, application/yaml" });
    },
  );
});

describe("a content coding", () => {
  it.each([undefined, "", " ", "identity", "Identity", " identity\t"])("is accepted: %j", (value) => {
    expect(refuseContentCoding(value)).toBeUndefined();
  });

  it.each(["gzip", "br", "deflate", "identity, gzip", "identity;q=1", "nonsense"])(
    "is rejected: %s, and the reply lists the accepted coding (RFC 9110 §12.5.3)",
    (value) => {
      const { code, context } = refusalOf(() => refuseContentCoding(value));
      expect(code).toBe("UNSUPPORTED_CONTENT_CODING");
      expect(context.headers).toEqual({ "accept-encoding": "identity" });
    },
  );
});
