import type { JsonSchema } from "../../contract/definition/definition.js";
import { listedValues } from "../json-schema.js";
import type { Place } from "../schema-place.js";
import type { NumberSyntax } from "../typed-text.js";

/**
 * YANG type of the numbers in a place: 32 bits if the JSON Schema limits them to that range, otherwise 64 bits, and
 * decimal64 if they may have a fraction. In JSON, all but the first are written as strings (RFC 7951 §6.1).
 */
export type YangNumber = "int32" | "int64" | "decimal64";

/** Returns the type of the numbers in a place, or undefined if the place allows no numbers. */
export function yangNumber({ types, schemas }: Place): YangNumber | undefined {
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
export function writeYangNumber(value: number, type: YangNumber): string {
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
