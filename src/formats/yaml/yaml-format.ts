import type { Format } from "../format.js";
import { jsonFormat } from "../json.js";
import { decodeUtf8 } from "../utf8.js";
import { parseStrictYaml } from "./strict-yaml.js";
import { writeYaml } from "./write-yaml.js";

/**
 * YAML 1.2 as RFC 9512 defines its media type, within what JSON can say. Problems are written as JSON: no media type is
 * registered for problems in YAML, and a JSON text is a YAML text.
 */
export const yamlFormat: Format = {
  mediaTypes: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
  problemMediaType: jsonFormat.problemMediaType,
  parse: (bytes, { limits }) => parseStrictYaml(decodeUtf8(bytes), limits),
  serialize: (value, context) =>
    context.kind === "problem" ? jsonFormat.serialize(value, context) : writeYaml(value),
};
