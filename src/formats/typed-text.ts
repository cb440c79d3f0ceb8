import { malformed } from "./malformed.js";
import type { Place } from "./schema-place.js";
import { parseStrictJson } from "./strict-json.js";

/** Syntax of numbers in a format. */
export interface NumberSyntax {
  /** Syntax of integers, and of numbers that may have a fraction. Text that does not match stays text. */
  readonly integer: RegExp;
  readonly number: RegExp;
  /** Converts a match into a JSON number. */
  toJson(text: string): string;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Grammar of numbers in JSON (RFC 8259 §6). */
export const JSON_NUMBERS: NumberSyntax = { integer: NUMBER, number: NUMBER, toJson: (text) => text };

/**
 * Reads a text as one of the types that its place allows. If a string is allowed, the text stays a string, so nothing
 * is guessed. A text that fits no type also stays a string, and the contract refuses it.
 *
 * Throws `MALFORMED_BODY` for a number that cannot be represented exactly, as in JSON.
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
    throw malformed("The body contains a number that cannot be represented exactly.");
  }
}
