import { codeOf, isSqlState } from "./error-code.js";

/** What says where the fault is, as `pg` and PGlite, and as `postgres` name it. None of it comes from data. */
const OF_DATABASE = [
  "code",
  "severity",
  "constraint",
  "constraint_name",
  "table",
  "table_name",
  "schema",
  "schema_name",
  "routine",
];
const OF_CONNECTION = ["code", "errno", "syscall", "address", "port"];

/**
 * An error of a driver as it may get into logs. The detail, hint, context and parameters that it came with quote rows, and so
 * does the message of a data exception or a violated constraint.
 */
export function withoutData(error: unknown): Error {
  const code = codeOf(error);
  const given = (typeof error === "object" && error !== null ? error : {}) as Readonly<
    Record<string, unknown>
  >;
  const isDatabase = isSqlState(code);
  const cause = given.cause === undefined ? undefined : { cause: withoutData(given.cause) };
  const shown = new Error(isDatabase && /^2[23]/.test(code) ? refusal(code) : messageOf(error), cause);
  shown.name = isDatabase ? "DatabaseError" : String(given.name ?? "Error");
  const kept = (isDatabase ? OF_DATABASE : OF_CONNECTION).filter((member) => given[member] !== undefined);
  return Object.assign(shown, Object.fromEntries(kept.map((member) => [member, given[member]])));
}

function refusal(code: string): string {
  return `The database refused data with SQLSTATE ${code}. Its message is left out because it can quote the data.`;
}

/** Node tries several addresses, and then gives an error without a message that holds one for each. */
function messageOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as { readonly message?: unknown; readonly errors?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return Array.isArray(errors) ? errors.map(messageOf).join("; ") : String(error);
}
