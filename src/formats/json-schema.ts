import type { JsonSchema } from "../contract/definition.js";
import { parseFragmentPointer } from "../contract/json/fragment-pointer.js";

/** The types of JSON Schema. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** What one schema says by itself of the types of values: by those it lists, by `type`, or by keywords for one type. */
export function typesOf(schema: JsonSchema): JsonType[] {
  const values = listedValues(schema);
  if (values !== undefined) return values.map(typeOf);
  if (schema.type !== undefined) return [schema.type].flat() as JsonType[];
  if ("properties" in schema || "additionalProperties" in schema || "required" in schema) return ["object"];
  return "items" in schema || "prefixItems" in schema ? ["array"] : [];
}

/** The values that `enum` or `const` allows, if there is one of them. */
export function listedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** The schemas that a value must meet besides: what `$ref` points at in the same schema, and `allOf`. */
export function conjuncts(root: JsonSchema, { $ref, allOf }: JsonSchema): JsonSchema[] {
  return [...schemasIn([refer(root, $ref)]), ...schemasIn(allOf)];
}

/** The schemas of which a value must meet one. */
export function alternatives({ anyOf, oneOf }: JsonSchema): JsonSchema[][] {
  return [schemasIn(anyOf), schemasIn(oneOf)].filter(({ length }) => length > 0);
}

/** What a schema says of a member of an object, or of an item of an array. */
export function childSchema(schema: JsonSchema, key: string | number): JsonSchema | undefined {
  const { properties, additionalProperties, prefixItems, items } = schema;
  const child =
    typeof key === "string"
      ? (own(properties, key) ?? additionalProperties)
      : (listOf(prefixItems)[key] ?? items);
  return isSchema(child) ? child : undefined;
}

/** The members that a schema requires by itself. */
export function requiredIn({ required }: JsonSchema): string[] {
  return listOf(required).filter((name) => typeof name === "string");
}

/** The number of items that a schema describes one by one. */
export function prefixLength({ prefixItems }: JsonSchema): number {
  return listOf(prefixItems).length;
}

function refer(root: JsonSchema, reference: unknown): unknown {
  const segments = typeof reference === "string" ? parseFragmentPointer(reference) : undefined;
  return segments?.reduce<unknown>(own, root);
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as "string" | "boolean" | "object";
}

function own(container: unknown, name: string): unknown {
  const isContainer = typeof container === "object" && container !== null;
  return isContainer && Object.hasOwn(container, name)
    ? (container as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function schemasIn(value: unknown): JsonSchema[] {
  return listOf(value).filter(isSchema);
}

/** `true` and `false`, which are schemas too, say nothing of types. */
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
