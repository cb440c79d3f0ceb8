import type { JsonSchema } from "../../contract/definition.js";
import { listedValues } from "../json-schema.js";
import type { Place } from "../schema-place.js";
import type { NumberSyntax } from "../typed-text.js";

/**
 * The YANG type of the numbers in a place: of 32 bits where the JSON Schema bounds them so, else of 64, and decimal64 where
 * they may have a fraction. All but the first travel as strings in JSON (RFC 7951 §6.1).
 */
export type YangNumber = "int32" | "int64" | "decimal64";

/** The type of the numbers in a place, if there may be any. */
export function yangNumber({ types, schemas }: Place): YangNumber | undefined {
  if (types.has("number")) return "decimal64";
  if (!types.has("integer")) return undefined;
  return schemas.filter(namesInteger).every(fitsIn32Bits) ? "int32" : "int64";
}

/** Numbers as YANG writes them (RFC 7950 §9.2.1, §9.3.1): with a sign and zeros before them, and without an exponent. */
export const yangNumbers: NumberSyntax = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?\d+(?:\.\d+)?$/,
  toJson: (text) => text.replace("+", "").replace(/^(-?)0+(?=\d)/, "$1"),
};

/** Writes a number in the canonical form of its type (RFC 7950 §9.2.2, §9.3.2). */
export function writeYangNumber(value: number, type: YangNumber): string {
  const text = withoutExponent(String(value));
  return type === "decimal64" && !text.includes(".") ? `${text}.0` : text;
}

/** `-1.5e-7` as `-0.00000015`, and `1.5e+21` as `1500000000000000000000`. */
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

/** Whether what the schema bounds by itself fits in int32 or in uint32. */
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
