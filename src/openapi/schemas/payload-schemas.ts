import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import type { StandardSchema } from "../../contract/schema/standard-schema.js";
import type { Components } from "../components.js";
import type { Reference } from "../document.js";
import type { NamedDefinition } from "../names.js";
import { withOptional } from "./body-schema.js";
import { embedSchema } from "./embed-schema.js";

/**
 * Adds the input of a definition. Without a JSON Schema, the document allows any value. The service validates anyway.
 */
export function inputSchema(components: Components, { definition, name }: NamedDefinition): Reference {
  const description = `Input of \`${definition.name}\`. The service validates it, but its rules are not described here.`;
  return (
    payload(components, `${name}Input`, bodySchema(definition)) ??
    components.schema(`${name}Input`, { description })
  );
}

/** Returns the schema of a body, in which members from the path are optional. */
function bodySchema({ path, jsonSchema }: OperationDefinition): JsonSchema | undefined {
  return jsonSchema && withOptional(pathFields(path), jsonSchema);
}

/** Adds the results of all definitions. A completed operation shows one of them. */
export function resultSchema(components: Components, definitions: readonly NamedDefinition[]): JsonSchema {
  const results = definitions.map(({ definition, name }) => {
    const description = `Result of \`${definition.name}\`. Absent if the work returned nothing.`;
    return payload(components, `${name}Result`, describeOutput(definition.result)) ?? { description };
  });
  const [first, ...others] = results;
  return first !== undefined && others.length === 0 ? first : { anyOf: results };
}

function payload(
  components: Components,
  name: string,
  schema: JsonSchema | undefined,
): Reference | undefined {
  return schema && embedSchema(components, name, schema);
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
