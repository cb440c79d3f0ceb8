import { CORE_SCHEMA, floatCoreTag, intCoreTag, mapTag, NOT_RESOLVED, type Schema, strTag } from "js-yaml";
import { malformed } from "../malformed.js";
import { parseStrictJson } from "../strict-json.js";

/**
 * The core schema (YAML 1.2.2 §10.3), kept within JSON: names are strings, strings are whole Unicode text, and numbers are
 * finite and kept as exactly as in JSON (ADR 0011).
 */
export const strictSchema: Schema = CORE_SCHEMA.withTags(
  { ...strTag, resolve: wholeText },
  { ...intCoreTag, resolve: readRadixInteger },
  { ...floatCoreTag, resolve: readDecimal },
  {
    ...mapTag,
    addPair: (members, name, value) => {
      if (typeof name !== "string") throw malformed("The body has a name that is not a string.");
      return mapTag.addPair(members, name, value);
    },
  },
);

/** Refuses one half of a surrogate pair: bytes cannot bring it in, but escapes can. */
function wholeText(text: string): string {
  if (!text.isWellFormed()) throw malformed("The body holds one half of a surrogate pair.");
  return text;
}

/** Reads the integers that JSON does not have, `0o17` and `0x1F`. */
function readRadixInteger(text: string): number | typeof NOT_RESOLVED {
  if (!/^0(?:o[0-7]+|x[\da-fA-F]+)$/.test(text)) return NOT_RESOLVED;
  const value = Number(text);
  if (!Number.isFinite(value) || BigInt(value) !== BigInt(text)) throw inexact();
  return value;
}

/** Reads integers and fractions. js-yaml alone would make a string of a number that is too large. */
function readDecimal(text: string): number | typeof NOT_RESOLVED {
  const parts = /^([-+]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (parts === null) return refuseInfinite(text);
  const [, sign, whole = "", fraction, exponent] = parts;
  const digits = `${whole.replace(/^0+/, "") || "0"}.${fraction || "0"}`;
  return readJsonNumber(`${sign === "-" ? "-" : ""}${digits}e${exponent ?? "0"}`);
}

function refuseInfinite(text: string): typeof NOT_RESOLVED {
  if (floatCoreTag.resolve(text, false, floatCoreTag.tagName) === NOT_RESOLVED) return NOT_RESOLVED;
  throw malformed("The body holds a number that is not finite.");
}

function readJsonNumber(text: string): number {
  try {
    return parseStrictJson(text, { maxDepth: 0 }) as number;
  } catch {
    throw inexact();
  }
}

function inexact(): Error {
  return malformed("The body holds a number that cannot be kept exactly.");
}
