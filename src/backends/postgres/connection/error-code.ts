/** Returns the code that Postgres (SQLSTATE) or Node gives an error, or `""`. Never throws: user code may throw anything. */
export function codeOf(error: unknown): string {
  try {
    const { code } = error as { readonly code?: unknown };
    return typeof code === "string" ? code : "";
  } catch {
    return "";
  }
}

/** Whether a code comes from the database. An error without such a code comes from the way to it. */
export function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}
