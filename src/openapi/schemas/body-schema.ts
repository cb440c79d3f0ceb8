import type { JsonSchema } from "../../contract/definition/definition.js";
import { alternatives, childSchema, conjuncts } from "../../formats/json-schema.js";
import { mapSubschemas } from "./map-schema.js";

/**
 * Returns the JSON Schema of a body in which these members are optional. Nothing else changes. A `$ref` at the root is
 * replaced by a copy of its target, because other references may need the target unchanged.
 */
export function withOptional(names: readonly string[], root: JsonSchema): JsonSchema {
  if (names.length === 0) return root;
  const relax = (schema: JsonSchema, outer: readonly JsonSchema[]): JsonSchema => {
    const { $ref, required, allOf, ...others } = schema;
    const inside = [...outer, schema];
    const target = conjuncts(root, { $ref })[0];
    // A schema that refers directly to itself adds no constraints.
    const parts = conjuncts(root, { $ref, allOf }).filter((part) => !inside.includes(part));
    const unresolved = $ref !== undefined && target === undefined ? { $ref } : {};
    return {
      ...mapAlternatives(others, (part) => relax(part, inside)),
      ...unresolved,
      ...requiredWithout(required, names),
      ...(parts.length === 0 ? {} : { allOf: parts.map((part) => relax(part, inside)) }),
    };
  };
  return relax(root, []);
}

/** Returns all subschemas that constrain a top-level member. */
export function memberSchemas(root: JsonSchema, name: string): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const seen = new Set<JsonSchema>();
  const search = (schema: JsonSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const child = childSchema(schema, name);
    if (child !== undefined) found.add(child);
    for (const part of [...conjuncts(root, schema), ...alternatives(schema).flat()]) search(part);
  };
  search(root);
  return [...found];
}

function mapAlternatives(schema: JsonSchema, map: (part: JsonSchema) => JsonSchema): JsonSchema {
  const { anyOf, oneOf, ...others } = schema;
  const given = Object.entries({ anyOf, oneOf }).filter(([, parts]) => parts !== undefined);
  return { ...others, ...mapSubschemas(Object.fromEntries(given), [], map) };
}

function requiredWithout(required: unknown, names: readonly string[]): JsonSchema {
  const rest = Array.isArray(required) ? required.filter((name) => !names.includes(name)) : [];
  return rest.length === 0 ? {} : { required: rest };
}
