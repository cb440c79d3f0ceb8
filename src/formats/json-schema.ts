import type { JsonSchema } from "../contract/definition/definition.js";
import { parseFragmentPointer } from "../contract/json/fragment-pointer.js";

/** Types of JSON Schema. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/**
 * Returns the types that a schema itself allows: those of the values it lists, those of `type`, or those implied by
 * keywords for one type.
 */
export function typesOf(schema: JsonSchema): JsonType[] {
  const values = listedValues(schema);
  if (values !== undefined) return values.map(typeOf);
  if (schema.type !== undefined) return [schema.type].flat() as JsonType[];
  if ("properties" in schema || "additionalProperties" in schema || "required" in schema) return ["object"];
  return "items" in schema || "prefixItems" in schema ? ["array"] : [];
}

/** Returns the values that `enum` or `const` allows, or undefined if the schema has neither. */
export function listedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Returns the other schemas that a value must meet: the target of `$ref` in the same document, and `allOf`. */
export function conjuncts(root: JsonSchema, { $ref, allOf }: JsonSchema): JsonSchema[] {
  return [...schemasIn([refer(root, $ref)]), ...schemasIn(allOf)];
}

/** Returns groups of schemas. A value must meet at least one schema of each group. */
export function alternatives({ anyOf, oneOf }: JsonSchema): JsonSchema[][] {
  return [schemasIn(anyOf), schemasIn(oneOf)].filter(({ length }) => length > 0);
}

/** Returns the schema for a member of an object or for an item of an array. */
export function childSchema(schema: JsonSchema, key: string | number): JsonSchema | undefined {
  const { properties, additionalProperties, prefixItems, items } = schema;
  const child =
    typeof key === "string"
      ? (own(properties, key) ?? additionalProperties)
      : (listOf(prefixItems)[key] ?? items);
  // `true` and `false` are schemas too, but describe no types.
  return isObject(child) ? child : undefined;
}

/** Returns the members that a schema itself requires. */
export function requiredIn({ required }: JsonSchema): string[] {
  return listOf(required).filter((name) => typeof name === "string");
}

/** Returns the number of items that a schema describes individually. */
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
  return isContainer && Object.hasOwn(container, name) ? Reflect.get(container, name) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function schemasIn(value: unknown): JsonSchema[] {
  return listOf(value).filter(isObject);
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
