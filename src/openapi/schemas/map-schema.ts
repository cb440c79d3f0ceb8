import type { JsonSchema } from "../../contract/definition/definition.js";

/** Location of a subschema: the keywords, names and indices that lead to it. */
export type SchemaPath = readonly string[];

/** Returns the replacement of a subschema. To change nested schemas too, it calls {@link mapSubschemas} itself. */
export type ChangeSchema = (schema: JsonSchema, path: SchemaPath) => JsonSchema;

/**
 * Replaces each direct subschema, under any keyword. Leaves data unchanged, even if it looks like a schema.
 */
export function mapSubschemas(schema: JsonSchema, path: SchemaPath, change: ChangeSchema): JsonSchema {
  return mapMembers(schema, path, (value, keyword, at) => {
    if (DATA.has(keyword) || keyword.startsWith("x-")) return value;
    if (!BY_NAME.has(keyword) || !isObject(value)) return mapValue(value, at, change);
    return mapMembers(value, at, (named, _, inside) => mapValue(named, inside, change));
  });
}

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set([
  "const",
  "default",
  "dependentRequired",
  "enum",
  "example",
  "examples",
]);

/** Keywords whose values are schemas by name. The names must not be read as keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
  "patternProperties",
  "properties",
]);

function mapValue(value: unknown, path: SchemaPath, change: ChangeSchema): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => mapValue(item, [...path, String(index)], change));
  }
  // `true` and `false` are schemas too, but have nothing to change.
  return isObject(value) ? change(value, path) : value;
}

function mapMembers(
  members: JsonSchema,
  path: SchemaPath,
  map: (value: unknown, name: string, path: SchemaPath) => unknown,
): JsonSchema {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, map(value, name, [...path, name])]),
  );
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
