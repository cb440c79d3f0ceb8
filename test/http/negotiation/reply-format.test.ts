import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonFormat } from "../../../src/formats/json.js";
import { negotiate, replyFormat } from "../../../src/http/negotiation/reply-format.js";
import { countedText } from "../../support/counted-text.js";
import { refusalOf } from "../../support/refusal.js";

const json = "application/json";
const yaml = "application/yaml";
const yang = "application/yang-data+json";
const available = [json, yaml, yang];

describe("negotiation", () => {
  it.each([undefined, "", " ", ", ,", "*/*", "*/*;q=0.001", "application/*", "*"])(
    "takes the server's first choice if %j leaves it open (RFC 9110 §12.5.1)",
    (accept) => {
      expect(negotiate(accept, available)).toBe(json);
    },
  );

  it.each([
    // The weights matter, the order does not.
    ["application/yaml, application/json", json],
    ["application/json;q=0.5, application/yaml", yaml],
    ["application/json;q=0.5, application/yaml;Q=0.6", yaml],
    ["application/json;q=0.500, application/yaml;q=0.501", yaml],
    ["Application/YAML", yaml],
    ["text/html, application/yaml;q=0.9, */*;q=0.1", yaml],
    ["application/json , text/plain, */*", json],
    // The most specific range counts.
    ["*/*;q=1, application/json;q=0.1, application/*;q=0.5", yaml],
    ["application/json;q=0, */*", yaml],
    ["application/json;q=0.0, application/yaml;q=0.000, */*;q=0.1", yang],
    ["application/*;q=0, application/yang-data+json", yang],
    ["application/*;q=0, */*", undefined],
    ["*/*;q=0", undefined],
    // If two are equally specific, the higher weight counts.
    ["application/json;q=0.1, application/json;q=0.9, application/yaml;q=0.5", json],
    // A matching suffix is not enough.
    ["application/yang-data+json", yang],
    ["application/*+json", undefined],
    ["application/problem+json", undefined],
    ["text/*", undefined],
    ["text/html", undefined],
    ["app/json", undefined],
    ["application", undefined],
    // Parameters narrow a range, and the weight can be anywhere.
    ["application/json;version=2", undefined],
    ["application/json;version=2, application/json;q=0.1", json],
    ["application/json;q=0.5;version=2, application/yaml;q=0.1", yaml],
    ["application/json;charset=UTF-8", json],
    ['application/json;charset="utf-8";q=0.2, application/yaml;q=0.1', json],
    ["application/json;charset=utf-16", undefined],
    ['application/json;a="x,y;q=1", application/yaml;q=0.1', yaml],
    [String.raw`application/json;a="\",", application/yaml;q=0.1`, yaml],
  ])("chooses by weight and specificity: %s gives %s (RFC 9110 §12.5.1)", (accept, chosen) => {
    expect(negotiate(accept, available)).toBe(chosen);
  });

  it("does not match a prefix of a type", () => {
    expect(negotiate("application/*", ["applications/json"])).toBeUndefined();
  });

  it("prefers a range with matching parameters to one without parameters", () => {
    const versions = ["application/x;v=1", "application/x;v=2"];
    expect(negotiate("application/x;v=2;q=0.9, application/x;q=0.5", versions)).toBe("application/x;v=2");
    expect(negotiate("application/x;v=1;q=0.1, application/x;q=0.5", versions)).toBe("application/x;v=2");
  });

  it.each([
    ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", json],
    [" * ; q=.2", json],
    ["application/yaml;q=.5, application/json;q=.25", yaml],
    ["application/yaml;q=0.12345, application/json;q=0.12344", yaml],
    ["application/yaml;q=1., application/json;q=0.", yaml],
    ["application/json;;q=0.1, application/yaml;", yaml],
    ["nonsense, application/yaml", yaml],
    [String.raw`nonsense\, application/yaml`, yaml],
    ["application/json;q=2, application/yaml", yaml],
    ["application/json;q=1.5, application/yaml", yaml],
    ["application/json;q=-1, application/yaml", yaml],
    ["application/json;q=, application/yaml;q=0.1", yaml],
    ["application/json;q=1e0, application/yaml;q=0.1", yaml],
    ["application/json;q=0x1, application/yaml;q=0.1", yaml],
    ["application/json;q=1;q=0, application/yaml;q=0.1", yaml],
    ['application/yaml, "application/json', yaml],
    ["*/json, application/yaml", yaml],
    ["application/json;q=2", undefined],
    ["json", undefined],
    ["/", undefined],
    ['"', undefined],
  ])("is lenient with careless clients: %s gives %s", (accept, chosen) => {
    expect(negotiate(accept, available)).toBe(chosen);
  });

  it("rejects a header of more than 8192 characters", () => {
    const ranges = "text/html,".repeat(900);
    expect(negotiate(ranges.slice(0, 8192), available)).toBeUndefined();
    expect(refusalOf(() => negotiate(ranges.slice(0, 8193), available)).code).toBe("INVALID_HEADER");
  });

  it("never throws within its limit, and chooses only an available type", () => {
    const ranges = [json, yaml, "*/*", "application/*", "*", ";q=", ";q=0", ".5"];
    const piece = fc.constantFrom(...ranges, ...',;"\\ =/a');
    const header = fc.oneof(
      fc.string({ unit: "binary-ascii", maxLength: 200 }),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(header, (accept) => {
        const chosen = negotiate(accept, available);
        if (chosen !== undefined) expect(available).toContain(chosen);
      }),
      { numRuns: 3000 },
    );
  });

  it("agrees with a reference that tries every range on every type", () => {
    const range = fc.tuple(
      fc.constantFrom(...available, "*/*", "application/*", "text/*"),
      fc.integer({ min: 0, max: 10 }),
    );
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 6 }), (ranges) => {
        const header = ranges.map(([type, tenths]) => `${type};q=${tenths / 10}`).join(", ");
        const weight = (type: string): number => {
          for (const level of [type, `${type.split("/")[0]}/*`, "*/*"]) {
            const weights = ranges.filter(([name]) => name === level).map(([, tenths]) => tenths);
            if (weights.length > 0) return Math.max(...weights);
          }
          return 0;
        };
        const best = Math.max(...available.map(weight));
        const expected = best === 0 ? undefined : available.find((type) => weight(type) === best);
        expect(negotiate(header, available)).toBe(expected);
      }),
    );
  });

  // Linear by construction. The header is split once, and each element is parsed as a media type, whose test counts the steps.
  it.each([",", ";", '"', "\\", '"\\', "*,", "a/b,", ";q=", " "])(
    "splits a header of %j in linear time",
    (unit) => {
      for (const length of [2048, 4096, 8192]) {
        const { text, count } = countedText(unit.repeat(length / unit.length));
        negotiate(text, available);
        expect(count.steps).toBeLessThan(8 * length);
      }
    },
  );
});

describe("the format of a reply", () => {
  const formats = [jsonFormat, { ...jsonFormat, mediaTypes: ["application/yaml", "text/yaml"] as const }];

  it("is the format of the chosen type", () => {
    expect(replyFormat(undefined, formats)).toBe(formats[0]);
    expect(replyFormat("application/yaml", formats)).toBe(formats[1]);
  });

  it.each(["application/problem+json", "text/html", "text/yaml", "*/*;q=0"])(
    "is rejected for %s with a list of the available types (RFC 9110 §15.5.7)",
    (accept) => {
      const { code, detail } = refusalOf(() => replyFormat(accept, formats));
      expect(code).toBe("NOT_ACCEPTABLE");
      expect(detail).toBe(
        "The header field Accept matches no available media type. Available: application/json, application/yaml.",
      );
    },
  );
});
