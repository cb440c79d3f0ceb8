import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from "js-yaml";
import type { Format } from "../format.js";
import { jsonFormat } from "../json.js";
import { decodeUtf8 } from "../malformed.js";
import { parseStrictYaml } from "./strict-yaml.js";

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

/**
 * Returns a JSON value as YAML that every reader reads as the same value. Strings that look like another type, even in
 * YAML 1.1, are quoted. Lines are not folded, there are no anchors, and members keep their order.
 */
function writeYaml(value: unknown): string {
  // JSON is valid YAML. Deeper blocks would be hard to read, and their lines would mostly be indentation.
  if (!isWithin(value, READABLE_DEPTH)) return JSON.stringify(value);
  try {
    return dump(value, { noRefs: true, lineWidth: -1, scalarStyleRules: STYLES });
  } catch {
    // js-yaml uses regular expressions that overflow the stack for texts of several megabytes.
    return JSON.stringify(value);
  }
}

const READABLE_DEPTH = 32;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

/** Quotes strings that another reader, or js-yaml itself, would otherwise misread. */
const quoteMore: ScalarStyleRule = (layout) => {
  const { value } = layout.node;
  const isMisread = layout.isKey
    ? // At the start of a line, this would be a document marker.
      /^(?:---|\.\.\.)/.test(value)
    : // Readers disagree about the indentation of a block that starts with white space.
      /^\s/.test(value);
  // js-yaml treats a number that is too large as a string.
  const isInfinite = Math.abs(Number(value)) === Number.POSITIVE_INFINITY;
  if (isMisread || isInfinite) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};

const STYLES: readonly ScalarStyleRule[] = [quoteMore, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)];
