/**
 * Members that locate an error, under the names of `pg` and PGlite and under those of `postgres`. They never quote
 * data.
 */
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
 * Returns a copy of a driver's error that is safe to log. It drops the detail, hint, context and parameters, which can
 * quote rows, and the message of data exceptions and violated constraints, which can quote them too.
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

/**
 * Returns the message. If several addresses failed, Node throws an error without a message, with one error for each
 * address.
 */
function messageOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as { readonly message?: unknown; readonly errors?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return Array.isArray(errors) ? errors.map(messageOf).join("; ") : String(error);
}

/**
 * Returns the code of an error, from Postgres (SQLSTATE) or Node, or `""`. Never throws, even if user code threw a
 * hostile value.
 */
export function codeOf(error: unknown): string {
  try {
    const { code } = error as { readonly code?: unknown };
    return typeof code === "string" ? code : "";
  } catch {
    return "";
  }
}

/**
 * Returns the first error with an SQLSTATE among an error and its causes, or the error itself. Other libraries wrap the
 * error of their driver.
 */
export function driverErrorOf(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (isSqlState(codeOf(cause))) return cause;
    if (!(cause instanceof Error)) break;
    cause = cause.cause;
  }
  return error;
}

/** Causes can be circular. */
const MAX_CAUSES = 10;

/** Whether a code comes from the database. Other errors come from the connection to it. */
export function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}
