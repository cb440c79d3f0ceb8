import { malformed } from "../malformed.js";
import type { Place } from "../schema-place.js";
import { readTypedText } from "../typed-text.js";
import { writeYangNumber, yangNumber, yangNumbers } from "./numbers.js";

/**
 * Returns a value as YANG data. Numbers of some types become strings, and null becomes `empty`. Parts that the schema
 * does not describe stay unchanged, as in `anyxml`.
 */
export function toYang(value: unknown, place: Place, empty: unknown): unknown {
  if (place.types.size === 0) return value;
  const number = yangNumber(place);
  if (typeof value === "number" && number !== undefined && number !== "int32")
    return writeYangNumber(value, number);
  if (value === null && place.types.has("null")) return empty;
  if (Array.isArray(value)) return value.map((item, index) => toYang(item, place.item(index), empty));
  return isObject(value)
    ? mapMembers(value, (name, member) => toYang(member, place.member(name), empty))
    : value;
}

/**
 * Returns the value of YANG data in JSON (RFC 7951 §5, §6). Text that is not a number of its type stays text, so that
 * the contract can refuse it.
 *
 * Throws `MALFORMED_BODY` for data that another reader would take as another type, and for qualified names.
 */
export function fromYang(value: unknown, place: Place, module: string): unknown {
  const { types } = place;
  if (types.size === 0) return value;
  if (isEmpty(value) && types.has("null")) return null;
  if (Array.isArray(value)) return value.map((item, index) => fromYang(item, place.item(index), module));
  if (isObject(value)) {
    return mapMembers(value, (name, member) => fromYang(member, place.member(simple(name, module)), module));
  }
  if (value === null && types.has("null")) throw malformed("null must be written as [null] (RFC 7951 §6.9).");
  const number = yangNumber(place);
  if (number === "int32") return refuseString(value, place);
  if (typeof value === "number" && number !== undefined)
    throw malformed(`A number of the type ${TYPES[number]} must be written as a string (RFC 7951 §6.1).`);
  return typeof value === "string" ? readTypedText(value, place, yangNumbers) : value;
}

const TYPES = { int64: "int64, uint64", decimal64: "decimal64" } as const;

function refuseString(value: unknown, place: Place): unknown {
  if (typeof value === "string" && !place.takesText(value) && yangNumbers.integer.test(value))
    throw malformed("An integer of 32 bits or less must be written as a JSON number (RFC 7951 §6.1).");
  return value;
}

/** Returns YANG data in JSON as a tree. A leaf of the type `empty`, which JSON writes as `[null]`, becomes null. */
export function yangTree(value: unknown): unknown {
  if (isEmpty(value)) return null;
  if (Array.isArray(value)) return value.map(yangTree);
  return isObject(value) ? mapMembers(value, (_, member) => yangTree(member)) : value;
}

/** Returns the name of a member. Below the top level, a name is only qualified if the module changes (RFC 7951 §4). */
function simple(name: string, module: string): string {
  if (!name.startsWith(`${module}:`)) return name;
  throw malformed("The name … must be written without its module (RFC 7951 §4).", name);
}

/** Returns whether a value is that of a leaf of the type `empty` (RFC 7951 §6.9). */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === null;
}

/** Maps the members of an object. Not by assignment, because `__proto__` is an ordinary member. */
function mapMembers(
  value: Readonly<Record<string, unknown>>,
  map: (name: string, member: unknown) => unknown,
): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(name, member)]));
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
