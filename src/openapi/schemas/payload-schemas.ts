import type { JsonSchema, OperationDefinition } from "../../contract/definition.js";
import { pathFields } from "../../contract/path-pattern.js";
import type { StandardSchema } from "../../contract/schema/standard-schema.js";
import type { Components } from "../components.js";
import type { Reference } from "../document.js";
import type { NamedDefinition } from "../names.js";
import { withOptional } from "./body-schema.js";
import { embedSchema } from "./embed-schema.js";

/** What a definition takes. Where no JSON Schema says it, the document claims nothing: the service checks all the same. */
export function inputSchema(components: Components, { definition, name }: NamedDefinition): Reference {
  const description = `What \`${definition.name}\` takes. Its rules are not described; the service checks them.`;
  return (
    payload(components, `${name}Input`, bodySchema(definition)) ??
    components.schema(`${name}Input`, { description })
  );
}

/** The input, of which a body may leave out the members that the path gives. */
function bodySchema({ path, jsonSchema }: OperationDefinition): JsonSchema | undefined {
  return jsonSchema && withOptional(pathFields(path), jsonSchema);
}

/** What completed operations show: the result of any of the definitions. */
export function resultSchema(components: Components, definitions: readonly NamedDefinition[]): JsonSchema {
  const results = definitions.map(({ definition, name }) => {
    const description = `What the work of \`${definition.name}\` returned, if it returned anything.`;
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

/** The JSON Schema of what a validator gives out, where it can tell. */
function describeOutput(schema: StandardSchema | undefined): JsonSchema | undefined {
  try {
    return schema?.["~standard"].jsonSchema?.output?.({ target: "draft-2020-12" });
  } catch {
    // Not everything that can be checked can be described.
    return undefined;
  }
}
