import { AsyncReplyError } from "../errors.js";

/**
 * Writes a value in the one form that RFC 8785 gives it: no white space, members sorted by UTF-16 code units, numbers and
 * strings as ECMAScript writes them. It takes what parsers give (null, booleans, finite numbers, strings, arrays and
 * plain objects) and recurses as deep as the value, which parsers bound.
 *
 * @throws AsyncReplyError `INTERNAL` for anything else: a parser that gives such a value has a fault
 */
export function canonicalJson(value: unknown): string {
  return isInOrder(value) ? JSON.stringify(value) : write(value);
}

/** Whether the engine writes the value in canonical form already: plain, and its members in order. */
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
  throw new AsyncReplyError("INTERNAL", "A value that is not JSON cannot be brought into canonical form.");
}

function canonicalArray(items: readonly unknown[]): string {
  let text = "";
  // Not `map`: it would leave out holes, which are no JSON.
  for (const item of items) text += text === "" ? write(item) : `,${write(item)}`;
  return `[${text}]`;
}

function canonicalObject(members: Readonly<Record<string, unknown>>): string {
  let text = "";
  // Without a comparison function the order is that of UTF-16 code units (RFC 8785 §3.2.3).
  for (const name of Object.keys(members).sort()) {
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${write(members[name])}`;
  }
  return `{${text}}`;
}

/** Plain objects of other realms (`vm`, test runners) count: their prototype too has no prototype. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
