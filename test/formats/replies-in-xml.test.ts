import { xmlFormat } from "async-request-reply/xml";
import { orderYangFormats } from "async-request-reply/yang";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../support/code-point.js";
import { describedInXml } from "./generated-schemas.js";
import { describeProgram, runProgram } from "./programs.js";
import { written } from "./sample-replies.js";

const [, yangXml] = orderYangFormats;

describe("a problem in XML", () => {
  it("has the form of RFC 9457 appendix B", () => {
    const problem = written(xmlFormat).find(({ name }) => name.includes("CONTRACT_VIOLATION"));
    expect(problem?.text).toBe(
      '<problem xmlns="urn:ietf:rfc:7807">' +
        "<type>https://www.npmjs.com/package/async-request-reply#contract-violation</type>" +
        "<name>contract-violation</name><title>The body violates the contract</title><status>422</status>" +
        "<detail>It is none.</detail><errors>" +
        "<i><pointer>#/itemId</pointer><detail>is required</detail></i>" +
        "<i><pointer>#/quantity</pointer><detail>must be greater than 0</detail></i>" +
        "<i><pointer>#/col~1our%20%3C</pointer><detail>is not a known member</detail></i>" +
        "<i><pointer>#</pointer><detail>must be an object</detail></i>" +
        "<i><pointer>#/colour</pointer><detail>is not a known member</detail></i></errors></problem>",
    );
  });
});

describe("a value from user code", () => {
  const depth = 50_000;
  const deep: unknown = JSON.parse(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);

  it.each([
    [xmlFormat, "operation"],
    [xmlFormat, "resource"],
    [yangXml, "operation"],
    [yangXml, "resource"],
  ] as const)("is written at any depth: $0.mediaTypes.0, %s", (format, kind) => {
    const reply = format.serialize({ result: deep }, { kind, name: "order" });
    expect(reply).toContain("<a>1</a>");
    expect(reply.split("<a>")).toHaveLength(depth + 1);
  });
});

describeProgram("xmllint", "libxml2-utils", () => {
  const check = (text: string): string => runProgram("xmllint", ["--noout", "-"], text).output;

  it("rejects malformed documents", () => {
    expect(check("<a><b></a>")).toContain("error");
    expect(check("<a>\u0001</a>")).toContain("error");
  });

  it.each([xmlFormat, yangXml])("accepts every reply as well-formed: $mediaTypes.0", (format) => {
    for (const { name, text } of written(format)) expect(check(text), name).toBe("");
  });

  it("accepts any value in a reply as well-formed", () => {
    const anything = fc.oneof(
      describedInXml.map(({ value }) => value),
      fc.dictionary(fc.string({ unit: codePoint }), fc.string({ unit: codePoint })),
      fc.dictionary(
        fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(fc.array(anything, { minLength: 50, maxLength: 50 }), (values) => {
        // Many values in one document, because starting the program takes longer than checking.
        expect(check(xmlFormat.serialize({ values }, { kind: "operation", name: "order" }))).toBe("");
      }),
      { numRuns: 20 },
    );
  });
});
