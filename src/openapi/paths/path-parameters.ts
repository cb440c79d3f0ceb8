import type { JsonSchema } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import type { Components } from "../components.js";
import type { OpenApiParameter } from "../document.js";
import { type NamedDefinition, toPascalCase } from "../names.js";
import { embedSchema } from "../schemas/embed-schema.js";
import { memberSchemas } from "../schemas/payload-schemas.js";

/** Describes the path fields of a definition. Each has the schema of its member in the input. */
export function pathParameters(
  components: Components,
  { definition, name }: NamedDefinition,
): OpenApiParameter[] {
  return pathFields(definition.path).map((field) => ({
    name: field,
    in: "path",
    description: `Member \`${field}\` of the input.`,
    required: true,
    schema: fieldSchema(components, `${name}${toPascalCase(field)}`, definition.jsonSchema, field),
  }));
}

function fieldSchema(
  components: Components,
  component: string,
  root: JsonSchema | undefined,
  field: string,
): JsonSchema {
  const found = root === undefined ? [] : memberSchemas(root, field);
  const [schema, ...others] = found;
  // Without a schema the text of the path is the value.
  if (schema === undefined) return { type: "string" };
  const whole = others.length === 0 ? schema : { anyOf: found };
  if (!JSON.stringify(whole).includes('"$ref"')) return whole;
  const { $defs, definitions } = root ?? {};
  return embedSchema(components, component, { ...whole, $defs, definitions }) ?? { type: "string" };
}
