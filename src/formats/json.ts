import type { AsyncReplyError } from "../contract/errors.js";
import type { Format } from "./format.js";
import { decodeUtf8, malformed } from "./malformed.js";

/** JSON as defined by RFC 8259, read with the restrictions of I-JSON (RFC 7493). */
export const jsonFormat: Format = {
  mediaTypes: ["application/json"],
  problemMediaType: "application/problem+json",
  parse: (bytes, { limits }) => parseStrictJson(decodeUtf8(bytes), limits),
  serialize: (value) => JSON.stringify(value),
};

/**
 * Parses JSON and refuses everything that two readers could understand differently (RFC 7493):
 *
 * - a member name that is repeated in one object, at any depth and after unescaping
 * - a lone surrogate
 * - a byte order mark
 * - a number that would silently become another integer or infinite
 * - nesting deeper than `maxDepth`
 *
 * Runs in linear time with a constant stack. `__proto__` is an ordinary member.
 *
 * Numbers are doubles. A number that reads as an integer must be written as exactly that integer: `1.0` and `1e2` are,
 * but `9007199254740993` and `1.000000000000000005` are not. A fraction may be rounded to the nearest double.
 *
 * Throws `MALFORMED_BODY`. Offsets in its detail count UTF-16 code units from 0.
 */
export function parseStrictJson(text: string, limits: { readonly maxDepth: number }): unknown {
  if (text.startsWith("\ufeff")) throw refused("The body begins with a byte order mark", 0);
  refuseLoneSurrogates(text);
  const counted = scan(text, limits.maxDepth);
  const value = judgeGrammar(text);
  // JSON.parse keeps the last of several members with one name. So the counts differ exactly when a name is repeated,
  // and names have to be compared only for the error.
  if (countMembers(value, counted.containers) !== counted.members) throw repeatedName(text);
  return value;
}

/**
 * Reads a number as in JSON.
 *
 * Throws `MALFORMED_BODY` if a double cannot represent it exactly.
 */
export function exactNumber(lexeme: string): number {
  try {
    return parseStrictJson(lexeme, { maxDepth: 0 }) as number;
  } catch {
    throw inexactNumber();
  }
}

/** Returns the error for a number that would silently become another. */
export function inexactNumber(): AsyncReplyError {
  return malformed("The body contains a number that cannot be represented exactly.");
}

function judgeGrammar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(text.trim() === "" ? "The body is empty." : "The body is not valid JSON.");
  }
}

function refused(what: string, offset: number, ...names: readonly string[]): AsyncReplyError {
  return malformed(`${what} (at offset ${offset}).`, ...names);
}

/**
 * Walks over the text once, checks depth and numbers, and counts the members of all objects. Assumes that the text is
 * JSON. For other text the result is meaningless, but the walk ends and JSON.parse refuses the text.
 */
function scan(text: string, maxDepth: number): { members: number; containers: number } {
  let members = 0;
  let containers = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
    } else if (code === COLON) {
      members++;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      containers++;
      if (++depth > maxDepth) throw refused(`The body is nested more than ${maxDepth} levels deep`, at);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    } else if (isNumeric(code)) {
      at = numberEnd(text, at);
    }
  }
  return { members, containers };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const NINE = 0x39;

/** Returns whether a character is a minus, a point, a digit or a slash. Outside of strings, JSON has no slash. */
function isNumeric(code: number): boolean {
  return code >= MINUS && code <= NINE;
}

/** Returns where the string that opens at `open` ends. The engine's search is many times faster than a loop here. */
function stringEnd(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Returns whether a quote is escaped. Linear over all calls, because a run of backslashes precedes only one quote. */
function isEscaped(text: string, quote: number): boolean {
  let run = quote;
  while (text.charCodeAt(run - 1) === BACKSLASH) run--;
  return (quote - run) % 2 === 1;
}

/**
 * Returns the position of the last character of the number at `start`. Refuses a number that a double cannot represent
 * exactly.
 */
function numberEnd(text: string, start: number): number {
  let end = start + 1;
  let hasExponent = false;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (isNumeric(code) || code === PLUS) continue;
    if ((code | 0x20) !== 0x65) break; // neither `e` nor `E`
    hasExponent = true;
  }
  // A double preserves any 15 digits.
  if ((hasExponent || end - start > 15) && !isKept(text.slice(start, end))) {
    throw refused("The body contains a number that cannot be represented exactly", start);
  }
  return end - 1;
}

/** Returns whether the double is finite and, if it is an integer, exactly the number that was written. */
function isKept(lexeme: string): boolean {
  const value = Number(lexeme);
  if (!Number.isInteger(value)) return Math.abs(value) !== Number.POSITIVE_INFINITY;
  return significantDigits(lexeme) === significantDigits(String(value));
}

/** Returns one spelling for all that denote the same absolute value: `-1.50e3` and `1500` are both `15e2`. */
export function significantDigits(lexeme: string): string {
  const [mantissa = "", exponent = "0"] = lexeme.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  let first = 0;
  let last = digits.length;
  while (first < last && digits[first] === "0") first++;
  while (last > first && digits[last - 1] === "0") last--;
  if (first === last) return "0";
  return `${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`;
}

/** Refuses a lone surrogate, escaped or not, because UTF-8 cannot represent it (RFC 7493 §2.1). */
function refuseLoneSurrogates(text: string): void {
  if (!text.isWellFormed()) throw refused(HALF_PAIR, text.search(/\p{Surrogate}/u));
  // JSON has backslashes only in strings, so it is enough to look at each escape.
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at)) {
    at += (text.charCodeAt(at + 2) | 0x20) === LOWER_D ? escapeLength(text, at) : 2;
  }
}

const LOWER_D = 0x64;
const HALF_PAIR = "The body contains a lone surrogate";

/** Returns the length of the escape at `at`. A surrogate pair counts as one escape. */
function escapeLength(text: string, at: number): number {
  const unit = escapedUnit(text, at);
  if (Number.isNaN(unit)) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return 6;
  const next = escapedUnit(text, at + 6);
  if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) return 12;
  throw refused(HALF_PAIR, at);
}

/** Returns the code unit of a `\uXXXX` escape, or NaN if there is no escape. */
function escapedUnit(text: string, at: number): number {
  return text.startsWith("\\u", at) ? Number.parseInt(text.slice(at + 2, at + 6), 16) : Number.NaN;
}

/**
 * Returns the number of members of all objects in a value. The text has `containers` objects and arrays, so the search
 * ends when that many are found. A list of found containers keeps the stack constant.
 */
function countMembers(root: unknown, containers: number): number {
  let members = 0;
  const found: object[] = isContainer(root) ? [root] : [];
  for (const node of found) {
    if (Array.isArray(node)) {
      if (found.length === containers) continue;
      for (const item of node) if (isContainer(item)) found.push(item);
    } else {
      // Measured: Object.values, the obvious choice, takes three times as long as Object.keys.
      const names = Object.keys(node);
      members += names.length;
      if (found.length === containers) continue;
      for (const name of names) {
        const value = (node as Readonly<Record<string, unknown>>)[name];
        if (isContainer(value)) found.push(value);
      }
    }
  }
  return members;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns the error that names the repeated member. Only called for valid JSON that is known to repeat a name. */
function repeatedName(text: string): AsyncReplyError {
  const open: Set<string>[] = [];
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      start = at;
      at = end = stringEnd(text, at);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      open.push(new Set());
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
    } else if (code === COLON) {
      const name: string = JSON.parse(text.slice(start, end + 1));
      const names = open.at(-1);
      if (names?.has(name)) return refused("The name … is repeated in one object", start, name);
      names?.add(name);
    }
  }
  return malformed("A name is repeated in one object.");
}
