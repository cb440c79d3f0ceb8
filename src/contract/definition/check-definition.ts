import { invalidOption, isObject, misuse, shown } from "../options.js";
import type { StandardSchema } from "../schema.js";
import { pathFields } from "./path-pattern.js";

/** A correct call, shown in error messages. */
const EXAMPLE = 'defineOperation({ name: "exports", path: "/exports", input: schema })';

/**
 * Checks the name of a definition, which stores and queues keep.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkName(name: unknown): void {
  if (typeof name === "string" && /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return;
  const expected = "1 to 100 characters of `A-Za-z0-9._-`, starting with a letter or digit, such as `orders`";
  throw invalidOption("name", expected, name);
}

/**
 * Checks that an option is a validator. A JSON Schema gets a separate message, because passing one is a common
 * mistake.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkSchema(option: string, schema: unknown): void {
  const standard = (schema as Partial<StandardSchema> | null | undefined)?.["~standard"];
  if (typeof standard?.validate === "function") return;
  if (isJsonSchema(schema))
    throw misuse(
      `Option \`${option}\` is a JSON Schema, which cannot validate by itself. Pass a Standard Schema validator: ` +
        `with zod \`z.fromJSONSchema(schema)\`, or a schema such as \`z.strictObject({ quantity: z.int() })\`.`,
    );
  throw invalidOption(
    option,
    "a Standard Schema validator, such as a schema of zod, valibot or arktype",
    schema,
  );
}

const JSON_SCHEMA_KEYWORDS = ["$schema", "$ref", "type", "properties", "anyOf", "allOf", "oneOf", "enum"];

function isJsonSchema(schema: unknown): boolean {
  return isObject(schema) && JSON_SCHEMA_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Members of a definition that {@link checkDefinitions} compares. */
interface Named {
  readonly name: string;
  readonly path: string;
}

/**
 * Checks the list of definitions of a service or a worker.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkDefinitions(definitions: unknown): void {
  if (!Array.isArray(definitions))
    throw invalidOption("definitions", `a list: \`[${EXAMPLE}]\``, definitions);
  if (definitions.length === 0)
    throw misuse(
      `Option \`definitions\` is an empty list. Pass at least one definition: \`definitions: [${EXAMPLE}]\`.`,
    );
  definitions.forEach(checkDefinition);
  checkUnlike(definitions);
}

function checkDefinition(
  definition: Partial<Named & { readonly input: StandardSchema; readonly retentionMs: number }>,
  index: number,
): void {
  const { name, path, input, retentionMs } = definition ?? {};
  // Options without `defineOperation` lack the defaults.
  const isDefined = typeof name === "string" && typeof path === "string" && retentionMs !== undefined;
  if (isDefined && typeof input?.["~standard"]?.validate === "function") return;
  throw invalidOption(`definitions[${index}]`, `a definition: \`${EXAMPLE}\``, definition);
}

/** Refuses equal names, and names that differ only in case, which some databases and file systems treat as equal. */
function checkUnlike(definitions: readonly Named[]): void {
  for (const [index, { name }] of definitions.entries()) {
    const others = definitions.slice(0, index);
    if (others.some((other) => other.name === name))
      throw misuse(`Two \`definitions\` share the name ${shown(name)}. Every definition needs its own name.`);
    const similar = others.find((other) => other.name.toLowerCase() === name.toLowerCase());
    if (similar !== undefined)
      throw misuse(
        `The names ${shown(similar.name)} and ${shown(name)} in \`definitions\` differ only in case. Rename one of them.`,
      );
  }
}

/**
 * Refuses a path with a field that the input schema does not have, which it would refuse or drop in every request. Looks only
 * at schemas that list their members: the first request finds the others.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkPathFields(path: string, schema: Readonly<Record<string, unknown>> = {}): void {
  const { properties, additionalProperties = false, patternProperties } = schema;
  const { $ref, allOf, anyOf, oneOf } = schema;
  const isPart = ($ref ?? allOf ?? anyOf ?? oneOf ?? patternProperties) !== undefined;
  if (!isObject(properties) || additionalProperties !== false || isPart) return;
  for (const field of pathFields(path))
    if (!Object.hasOwn(properties, field))
      throw misuse(
        `Option \`path\` is ${shown(path)}, but the input schema has no member for its field {${field}}. Add a required member ` +
          `\`${field}\` to the schema, or remove the field from the path.`,
      );
}
