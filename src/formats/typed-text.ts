import { malformed } from "./malformed.js";
import type { Place } from "./schema-place.js";
import { parseStrictJson } from "./strict-json.js";

/** How a format writes numbers as text. */
export interface NumberSyntax {
  /** What counts as an integer, and as a number that may have a fraction. What does not match stays text. */
  readonly integer: RegExp;
  readonly number: RegExp;
  /** Turns what matches into a JSON number. */
  toJson(text: string): string;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The grammar of JSON (RFC 8259 §6). */
export const JSON_NUMBERS: NumberSyntax = { integer: NUMBER, number: NUMBER, toJson: (text) => text };

/**
 * Reads a text by what its place allows. A string wins wherever one is allowed, so that nothing is guessed; what fits none
 * of the types stays text, so that the contract can refuse it.
 *
 * @throws AsyncReplyError `MALFORMED_BODY` for a number that cannot be kept exactly, as in JSON
 */
export function readTypedText(text: string, place: Place, syntax: NumberSyntax): unknown {
  const { types } = place;
  if (place.takesText(text)) return text;
  const isNumber =
    (types.has("number") && syntax.number.test(text)) || (types.has("integer") && syntax.integer.test(text));
  if (isNumber) return exactNumber(syntax.toJson(text));
  return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text;
}

function exactNumber(lexeme: string): unknown {
  try {
    return parseStrictJson(lexeme, { maxDepth: 0 });
  } catch {
    throw malformed("The body holds a number that cannot be kept exactly.");
  }
}
