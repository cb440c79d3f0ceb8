import { describe, expect, it } from "vitest";
import type { Format } from "../../../src/formats/format.js";
import { jsonFormat } from "../../../src/formats/json.js";
import { refuseContentCoding, requestFormat } from "../../../src/http/submit/read-submission.js";
import { refusalOf } from "../../support/refusal.js";

const yamlFormat: Format = {
  ...jsonFormat,
  mediaTypes: ["application/yaml", "application/x-yaml", "text/yaml"],
};
const formats = [jsonFormat, yamlFormat];

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
    [undefined, "The header field Content-Type is missing."],
    ["", "The header field Content-Type is malformed."],
    ["json", "The header field Content-Type is malformed."],
    ["application/json;charset=", "The header field Content-Type is malformed."],
    ["application/json, application/json", "The header field Content-Type is malformed."],
    ["Text/Plain; charset=utf-8", "The media type in Content-Type is not supported."],
    ["*/*", "The media type in Content-Type is not supported."],
    ["application/yang-data+json", "The media type in Content-Type is not supported."],
    ["application/problem+json", "The media type in Content-Type is not supported."],
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
