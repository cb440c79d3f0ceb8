import type { AsyncReplyError } from "../contract/errors.js";
import { malformed } from "./malformed.js";

/**
 * Parses JSON and refuses what two readers could understand differently (RFC 7493): a member name that is repeated in
 * one object, at any depth and after unescaping; one half of a surrogate pair; a byte order mark; a number that would
 * silently become another integer or infinite; nesting deeper than `maxDepth`. Time is linear in the text, the stack
 * does not grow with it, and `__proto__` is a member like any other.
 *
 * Numbers are doubles. One that reads as an integer must be written as exactly that integer (`1.0` and `1e2` are,
 * `9007199254740993` and `1.000000000000000005` are not); a fraction may be rounded to the nearest double.
 *
 * @throws AsyncReplyError `MALFORMED_BODY`; offsets in its detail count UTF-16 code units from 0
 */
export function parseStrictJson(text: string, limits: { readonly maxDepth: number }): unknown {
  if (text.startsWith("\ufeff")) throw refused("The body begins with a byte order mark", 0);
  refuseLoneSurrogates(text);
  const counted = scan(text, limits.maxDepth);
  const value = judgeGrammar(text);
  // Of members with one name JSON.parse keeps the last, with all that is in it. So the value has fewer members than the
  // text exactly when a name was repeated, and names need to be compared only for the error.
  if (countMembers(value, counted.containers) !== counted.members) throw repeatedName(text);
  return value;
}

function judgeGrammar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

function refused(what: string, offset: number, ...names: readonly string[]): AsyncReplyError {
  return malformed(`${what} (at offset ${offset}).`, ...names);
}

/**
 * Walks over the text once, checks depth and numbers, and counts the members of all objects. It trusts the text to be
 * JSON: in other text it may stumble over what is none of these, but it ends, and JSON.parse refuses the text.
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

/** Minus, point and digits. The slash among them stands outside of strings in no JSON text. */
function isNumeric(code: number): boolean {
  return code >= MINUS && code <= NINE;
}

/** Where the string that opens at `open` closes. The engine's search is many times faster than a loop of ours. */
function stringEnd(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Linear over all calls: a run of backslashes lies before one quote only. */
function isEscaped(text: string, quote: number): boolean {
  let run = quote;
  while (text.charCodeAt(run - 1) === BACKSLASH) run--;
  return (quote - run) % 2 === 1;
}

/** Where the number that starts at `start` has its last character. Refuses a number that cannot be kept. */
function numberEnd(text: string, start: number): number {
  let end = start + 1;
  let hasExponent = false;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (isNumeric(code) || code === PLUS) continue;
    if ((code | 0x20) !== 0x65) break; // neither `e` nor `E`
    hasExponent = true;
  }
  // 15 digits always survive the way through a double.
  if ((hasExponent || end - start > 15) && !isKept(text.slice(start, end))) {
    throw refused("The body holds a number that cannot be kept exactly", start);
  }
  return end - 1;
}

/** Whether the double is finite and, where it is an integer, is exactly the number that was written. */
function isKept(lexeme: string): boolean {
  const value = Number(lexeme);
  if (!Number.isInteger(value)) return Math.abs(value) !== Number.POSITIVE_INFINITY;
  return significantDigits(lexeme) === significantDigits(String(value));
}

/** One spelling for all that denote the same absolute value: `-1.50e3` and `1500` are both `15e2`. */
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

/** Refuses one half of a surrogate pair, escaped or not: it cannot be written as UTF-8 (RFC 7493 §2.1). */
function refuseLoneSurrogates(text: string): void {
  if (!text.isWellFormed()) throw refused(HALF_PAIR, text.search(/\p{Surrogate}/u));
  // JSON has backslashes in strings only, so one can go from escape to escape without a look at anything else.
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at)) {
    at += (text.charCodeAt(at + 2) | 0x20) === LOWER_D ? escapeLength(text, at) : 2;
  }
}

const LOWER_D = 0x64;
const HALF_PAIR = "The body holds one half of a surrogate pair";

/** Length of the escape at `at`, where a whole pair counts as one escape. */
function escapeLength(text: string, at: number): number {
  const unit = escapedUnit(text, at);
  if (Number.isNaN(unit)) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return 6;
  const next = escapedUnit(text, at + 6);
  if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) return 12;
  throw refused(HALF_PAIR, at);
}

/** The code unit that a `\uXXXX` stands for; NaN where there is none. */
function escapedUnit(text: string, at: number): number {
  return text.startsWith("\\u", at) ? Number.parseInt(text.slice(at + 2, at + 6), 16) : Number.NaN;
}

/**
 * Counts the members of all objects in a value. The text has `containers` objects and arrays: when that many are found,
 * there is no need to look into the values for more. What is found goes to a list, so that the stack does not grow.
 */
function countMembers(root: unknown, containers: number): number {
  let members = 0;
  const found: object[] = isContainer(root) ? [root] : [];
  for (const node of found) {
    if (Array.isArray(node)) {
      if (found.length === containers) continue;
      for (const item of node) if (isContainer(item)) found.push(item);
    } else {
      // Measured: Object.values, which looks made for this, takes three times as long as Object.keys.
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

/** Finds the name to complain about. Called only for a text that is JSON and is known to repeat one. */
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
