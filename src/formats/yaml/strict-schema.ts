import { CORE_SCHEMA, floatCoreTag, intCoreTag, mapTag, NOT_RESOLVED, type Schema, strTag } from "js-yaml";
import { malformed } from "../malformed.js";
import { parseStrictJson } from "../strict-json.js";

/**
 * Core schema (YAML 1.2.2 §10.3), limited to JSON: names are strings, strings are well-formed Unicode, and numbers are
 * finite and as exact as in JSON.
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

/** Refuses a lone surrogate, which escapes can create even though the bytes cannot. */
function wholeText(text: string): string {
  if (!text.isWellFormed()) throw malformed("The body contains a lone surrogate.");
  return text;
}

/** Reads the integers that JSON does not have, such as `0o17` and `0x1F`. */
function readRadixInteger(text: string): number | typeof NOT_RESOLVED {
  if (!/^0(?:o[0-7]+|x[\da-fA-F]+)$/.test(text)) return NOT_RESOLVED;
  const value = Number(text);
  if (!Number.isFinite(value) || BigInt(value) !== BigInt(text)) throw inexact();
  return value;
}

/** Reads integers and fractions. By default, js-yaml turns a number that is too large into a string. */
function readDecimal(text: string): number | typeof NOT_RESOLVED {
  const parts = /^([-+]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (parts === null) return refuseInfinite(text);
  const [, sign, whole = "", fraction, exponent] = parts;
  const digits = `${whole.replace(/^0+/, "") || "0"}.${fraction || "0"}`;
  return readJsonNumber(`${sign === "-" ? "-" : ""}${digits}e${exponent ?? "0"}`);
}

function refuseInfinite(text: string): typeof NOT_RESOLVED {
  if (floatCoreTag.resolve(text, false, floatCoreTag.tagName) === NOT_RESOLVED) return NOT_RESOLVED;
  throw malformed("The body contains a number that is not finite.");
}

function readJsonNumber(text: string): number {
  try {
    return parseStrictJson(text, { maxDepth: 0 }) as number;
  } catch {
    throw inexact();
  }
}

function inexact(): Error {
  return malformed("The body contains a number that cannot be represented exactly.");
}
