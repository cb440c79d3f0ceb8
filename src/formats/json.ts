import type { Format } from "./format.js";
import { decodeUtf8 } from "./malformed.js";
import { parseStrictJson } from "./strict-json.js";

/** JSON as defined by RFC 8259, read with the restrictions of I-JSON (RFC 7493). */
export const jsonFormat: Format = {
  mediaTypes: ["application/json"],
  problemMediaType: "application/problem+json",
  parse: (bytes, { limits }) => parseStrictJson(decodeUtf8(bytes), limits),
  serialize: (value) => JSON.stringify(value),
};
