import type { StandardSchema } from "../schema.js";

/** Returns the JSON Schema (2020-12) of the input of a validator, if it has one. */
export function describeSchema(schema: StandardSchema): Readonly<Record<string, unknown>> | undefined {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  } catch {
    // Some schemas cannot be described in JSON Schema. Formats that need a description report that themselves.
    return undefined;
  }
}
