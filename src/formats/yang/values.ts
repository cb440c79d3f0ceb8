import type { JsonSchema } from "../../contract/definition/definition.js";
import { isObject, listedValues } from "../json-schema.js";
import { malformed } from "../malformed.js";
import { type NumberSyntax, type Place, readTypedText } from "../schema-place.js";

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

/**
 * YANG type of the numbers in a place: 32 bits if the JSON Schema limits them to that range, otherwise 64 bits, and
 * decimal64 if they may have a fraction. In JSON, all but the first are written as strings (RFC 7951 §6.1).
 */
type YangNumber = "int32" | "int64" | "decimal64";

/** Returns the type of the numbers in a place, or undefined if the place allows no numbers. */
function yangNumber({ types, schemas }: Place): YangNumber | undefined {
  if (types.has("number")) return "decimal64";
  if (!types.has("integer")) return undefined;
  return schemas.filter(namesInteger).every(fitsIn32Bits) ? "int32" : "int64";
}

/** Syntax of numbers in YANG (RFC 7950 §9.2.1, §9.3.1): signs and leading zeros are allowed, exponents are not. */
export const yangNumbers: NumberSyntax = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?\d+(?:\.\d+)?$/,
  toJson: (text) => text.replace("+", "").replace(/^(-?)0+(?=\d)/, "$1"),
};

/** Returns a number in the canonical form of its type (RFC 7950 §9.2.2, §9.3.2). */
function writeYangNumber(value: number, type: YangNumber): string {
  const text = withoutExponent(String(value));
  return type === "decimal64" && !text.includes(".") ? `${text}.0` : text;
}

/** Returns `-1.5e-7` as `-0.00000015`, and `1.5e+21` as `1500000000000000000000`. */
function withoutExponent(text: string): string {
  const [decimal = "", exponent] = text.split("e");
  if (exponent === undefined) return text;
  const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
  const zeros = Math.abs(Number(exponent)) - (exponent.startsWith("-") ? 1 : fraction.length);
  const digits = whole + fraction;
  const plain = exponent.startsWith("-") ? `0.${"0".repeat(zeros)}${digits}` : digits + "0".repeat(zeros);
  return decimal.startsWith("-") ? `-${plain}` : plain;
}

function namesInteger(schema: JsonSchema): boolean {
  return listedValues(schema)?.some(Number.isInteger) ?? [schema.type].flat().includes("integer");
}

/** Returns whether the range that the schema itself sets fits in int32 or uint32. */
function fitsIn32Bits(schema: JsonSchema): boolean {
  const values = listedValues(schema)?.filter((value) => typeof value === "number");
  const min = values === undefined ? lowest(schema) : Math.min(...values);
  const max = values === undefined ? highest(schema) : Math.max(...values);
  return (min >= -(2 ** 31) && max < 2 ** 31) || (min >= 0 && max < 2 ** 32);
}

function lowest({ minimum, exclusiveMinimum }: JsonSchema): number {
  return Math.max(
    typeof minimum === "number" ? minimum : Number.NEGATIVE_INFINITY,
    typeof exclusiveMinimum === "number" ? Math.floor(exclusiveMinimum) + 1 : Number.NEGATIVE_INFINITY,
  );
}

function highest({ maximum, exclusiveMaximum }: JsonSchema): number {
  return Math.min(
    typeof maximum === "number" ? maximum : Number.POSITIVE_INFINITY,
    typeof exclusiveMaximum === "number" ? Math.ceil(exclusiveMaximum) - 1 : Number.POSITIVE_INFINITY,
  );
}
