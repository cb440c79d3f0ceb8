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

/** Whether a code comes from the database. Other errors come from the connection to it. */
export function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}
