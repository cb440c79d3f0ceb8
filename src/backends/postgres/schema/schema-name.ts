import { invalidOption } from "../../../contract/options.js";

/**
 * Returns the quoted name of a schema. The pattern allows no characters that could end the quotes.
 *
 * Throws `INVALID_OPTION`.
 */
export function quoteSchema(schema: string): string {
  if (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,47}$/.test(schema)) return `"${schema}"`;
  throw invalidOption(
    "schema",
    "a name of 1 to 48 characters from a-z, 0-9 and _ that does not begin with a digit",
    schema,
  );
}
