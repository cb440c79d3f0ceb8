import type { Format } from "../format.js";
import { jsonFormat } from "../json.js";
import { decodeUtf8 } from "../utf8.js";
import { parseStrictYaml } from "./strict-yaml.js";
import { writeYaml } from "./write-yaml.js";

/**
 * YAML 1.2 with the media type of RFC 9512, limited to what JSON can represent. Problems are written as JSON, because
 * there is no registered media type for problems in YAML, and JSON is valid YAML.
 */
export const yamlFormat: Format = {
  mediaTypes: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
  problemMediaType: jsonFormat.problemMediaType,
  parse: (bytes, { limits }) => parseStrictYaml(decodeUtf8(bytes), limits),
  serialize: (value, context) =>
    context.kind === "problem" ? jsonFormat.serialize(value, context) : writeYaml(value),
};
