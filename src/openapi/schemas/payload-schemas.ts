import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import type { StandardSchema } from "../../contract/schema.js";
import { alternatives, childSchema, conjuncts } from "../../formats/json-schema.js";
import type { Reference } from "../document.js";
import type { Draft, NamedDefinition } from "../draft.js";
import { embedSchema, mapSubschemas } from "./embed-schema.js";

/** Adds the input of a definition. Without a JSON Schema, the document allows any value, which the service validates. */
export function inputSchema(draft: Draft, { definition, name }: NamedDefinition): Reference {
  const description = `Input of \`${definition.name}\`. The service validates it, but its rules are not described here.`;
  return (
    payload(draft, `${name}Input`, bodySchema(definition)) ?? draft.schema(`${name}Input`, { description })
  );
}

/** Returns the schema of a body, in which members from the path are optional. */
function bodySchema({ path, jsonSchema }: OperationDefinition): JsonSchema | undefined {
  return jsonSchema && withOptional(pathFields(path), jsonSchema);
}

/** Adds the result of a definition, as a completed operation shows it. */
export function resultSchema(draft: Draft, { definition, name }: NamedDefinition): JsonSchema {
  const description = `Result of \`${definition.name}\`. Absent if the work returned nothing.`;
  return payload(draft, `${name}Result`, describeOutput(definition.result)) ?? { description };
}

/** Adds the progress of a definition, as a pending operation shows it. */
export function progressSchema(
  draft: Draft,
  { definition, name }: NamedDefinition,
  description: string,
): JsonSchema {
  return payload(draft, `${name}Progress`, describeOutput(definition.progress)) ?? { description };
}

/** Adds the chunks of a definition with output. */
export function chunksSchema(draft: Draft, { definition, name }: NamedDefinition): JsonSchema {
  const description = `Chunk of the output of \`${definition.name}\`.`;
  const items = payload(draft, `${name}Chunk`, describeOutput(definition.chunk)) ?? { description };
  return draft.schema(`${name}Chunks`, { type: "array", items });
}

function payload(draft: Draft, name: string, schema: JsonSchema | undefined): Reference | undefined {
  return schema && embedSchema(draft, name, schema);
}

/** Returns the JSON Schema of a validator's output, or undefined if the validator cannot export it. */
function describeOutput(schema: StandardSchema | undefined): JsonSchema | undefined {
  try {
    return schema?.["~standard"].jsonSchema?.output?.({ target: "draft-2020-12" });
  } catch {
    // Some validators have no JSON Schema, such as those with custom checks.
    return undefined;
  }
}

/**
 * Returns the JSON Schema of a body in which these members are optional. Nothing else changes. A `$ref` at the root is
 * replaced by a copy of its target, because other references may need the target unchanged.
 */
function withOptional(names: readonly string[], root: JsonSchema): JsonSchema {
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
