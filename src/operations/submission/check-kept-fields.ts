import type { OperationDefinition } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import { AsyncReplyError } from "../../contract/errors.js";
import { isObject } from "../../formats/json-schema.js";

/** Definitions whose schemas keep the fields of their paths. */
const checked = new WeakSet<OperationDefinition>();

/**
 * Checks with the first input of a definition that the schema does not drop a field of the path. Not every schema can be
 * described, so `defineOperation` might not have seen it. Returns a promise only if the output lacks a field.
 *
 * Throws `INTERNAL`. A promise rejects with the same.
 */
export function checkKeptFields(
  definition: OperationDefinition,
  value: unknown,
  output: unknown,
): Promise<void> | undefined {
  if (checked.has(definition)) return undefined;
  const absent = isObject(output) ? pathFields(definition.path).filter((field) => !(field in output)) : [];
  if (absent.length > 0) return check(definition, value, absent);
  checked.add(definition);
  return undefined;
}

async function check(
  definition: OperationDefinition,
  value: unknown,
  absent: readonly string[],
): Promise<void> {
  const { name, path, input } = definition;
  for (const field of absent) {
    if (!isObject(value) || !Object.hasOwn(value, field)) return;
    // A schema that requires the field may return it under another name.
    const { [field]: _, ...others } = value;
    const { issues } = await input["~standard"].validate(others);
    if (issues !== undefined) continue;
    const detail =
      `The input schema of the definition "${name}" drops the field {${field}} of its path "${path}", so the processor ` +
      `would not get it. Add a required member \`${field}\` to the schema.`;
    throw new AsyncReplyError("INTERNAL", detail);
  }
  checked.add(definition);
}
