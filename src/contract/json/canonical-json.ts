import { AsyncReplyError } from "../errors.js";

/**
 * Returns a value in the canonical form of RFC 8785: no white space, members sorted by UTF-16 code units, numbers and
 * strings as ECMAScript writes them. Accepts the output of parsers: null, booleans, finite numbers, strings, arrays
 * and plain objects. Recurses as deep as the value, which parsers limit.
 *
 * Throws `INTERNAL` for any other value, which means that a parser has a bug.
 */
export function canonicalJson(value: unknown): string {
  return isInOrder(value) ? JSON.stringify(value) : write(value);
}

/** Returns whether `JSON.stringify` writes the value in canonical form: without arrays, and with members in order. */
function isInOrder(value: unknown): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (!isPlainObject(value)) return false;
  let last = "";
  for (const name in value) {
    if (name < last || !isInOrder(value[name])) return false;
    last = name;
  }
  return true;
}

function write(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return `${value}`;
  if (typeof value === "boolean" || value === null) return `${value}`;
  if (Array.isArray(value)) return canonicalArray(value);
  if (isPlainObject(value)) return canonicalObject(value);
  throw new AsyncReplyError("INTERNAL", "A value that is not JSON has no canonical form.");
}

function canonicalArray(items: readonly unknown[]): string {
  let text = "";
  // Not `map`, which skips holes: holes are not JSON, so they must throw.
  for (const item of items) text += text === "" ? write(item) : `,${write(item)}`;
  return `[${text}]`;
}

function canonicalObject(members: Readonly<Record<string, unknown>>): string {
  let text = "";
  // Without a comparison function, the order is that of UTF-16 code units (RFC 8785 §3.2.3).
  for (const name of Object.keys(members).sort()) {
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${write(members[name])}`;
  }
  return `{${text}}`;
}

/**
 * Returns whether a value is a plain object. Also accepts those of other realms (`vm`, test runners), whose prototype
 * has no prototype either.
 */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
