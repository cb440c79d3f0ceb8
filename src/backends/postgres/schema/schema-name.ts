import { invalidOption } from "../../../contract/options.js";

/**
 * A schema's name as it stands in statements. The pattern leaves nothing that quoting could be escaped from.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function quoteSchema(schema: string): string {
  if (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,47}$/.test(schema)) return `"${schema}"`;
  throw invalidOption(
    "schema",
    "a name of 1 to 48 characters out of a-z, 0-9 and _ that does not begin with a digit",
    schema,
  );
}
