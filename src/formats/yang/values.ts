import { malformed } from "../malformed.js";
import type { Place } from "../schema-place.js";
import { readTypedText } from "../typed-text.js";
import { writeYangNumber, yangNumber, yangNumbers } from "./numbers.js";

/**
 * A value as YANG data: numbers that travel as strings are strings, and null is what `empty` says. What the schema says
 * nothing of stays as it is, as in `anyxml`.
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
 * The value that YANG data in JSON stands for (RFC 7951 §5, §6). Text that is no number of its type stays text, so that the
 * contract can refuse it.
 *
 * @throws AsyncReplyError `MALFORMED_BODY` for what another reader would take as another type, and for qualified names
 */
export function fromYang(value: unknown, place: Place, module: string): unknown {
  const { types } = place;
  if (types.size === 0) return value;
  if (isEmpty(value) && types.has("null")) return null;
  if (Array.isArray(value)) return value.map((item, index) => fromYang(item, place.item(index), module));
  if (isObject(value)) {
    return mapMembers(value, (name, member) => fromYang(member, place.member(simple(name, module)), module));
  }
  if (value === null && types.has("null"))
    throw malformed("null has to be written as [null] (RFC 7951 §6.9).");
  const number = yangNumber(place);
  if (number === "int32") return refuseString(value, place);
  if (typeof value === "number" && number !== undefined)
    throw malformed(`A number of the type ${TYPES[number]} has to be written as a string (RFC 7951 §6.1).`);
  return typeof value === "string" ? readTypedText(value, place, yangNumbers) : value;
}

const TYPES = { int64: "int64, uint64", decimal64: "decimal64" } as const;

function refuseString(value: unknown, place: Place): unknown {
  if (typeof value === "string" && !place.takesText(value) && yangNumbers.integer.test(value))
    throw malformed("An integer of 32 bits or less has to be written as a JSON number (RFC 7951 §6.1).");
  return value;
}

/** Returns YANG data in JSON without what only JSON needs: a leaf of the type `empty` is null. */
export function yangTree(value: unknown): unknown {
  if (isEmpty(value)) return null;
  if (Array.isArray(value)) return value.map(yangTree);
  return isObject(value) ? mapMembers(value, (_, member) => yangTree(member)) : value;
}

/** Below the top level a name is qualified only where the module changes (RFC 7951 §4). */
function simple(name: string, module: string): string {
  if (!name.startsWith(`${module}:`)) return name;
  throw malformed("The name … must be written without its module (RFC 7951 §4).", name);
}

/** The value of a leaf of the type `empty` (RFC 7951 §6.9). */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === null;
}

/** Not by assignment: `__proto__` is a member like any other. */
function mapMembers(
  value: Readonly<Record<string, unknown>>,
  map: (name: string, member: unknown) => unknown,
): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(name, member)]));
}

/** Whether this is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
