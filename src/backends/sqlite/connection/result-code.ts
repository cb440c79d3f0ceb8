/** Result codes of SQLite that the back end tells apart, by number. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [5, "SQLITE_BUSY"],
  [6, "SQLITE_LOCKED"],
  [7, "SQLITE_NOMEM"],
  [8, "SQLITE_READONLY"],
  [10, "SQLITE_IOERR"],
  [11, "SQLITE_CORRUPT"],
  [13, "SQLITE_FULL"],
  [14, "SQLITE_CANTOPEN"],
  [15, "SQLITE_PROTOCOL"],
  [18, "SQLITE_TOOBIG"],
  [19, "SQLITE_CONSTRAINT"],
  [20, "SQLITE_MISMATCH"],
  [26, "SQLITE_NOTADB"],
]);

/**
 * Returns the primary result code of an error, such as `SQLITE_BUSY`, or `""`. Some clients have it as text in `code`,
 * and others as a number in `errcode`. Never throws, even if user code threw a hostile value.
 */
export function resultCodeOf(error: unknown): string {
  try {
    const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
    // The lower byte of an extended code is the primary code.
    if (typeof errcode === "number") return NAMES.get(errcode & 0xff) ?? "";
    return typeof code === "string" ? (/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? "") : "";
  } catch {
    return "";
  }
}

/** Whether another connection holds a lock that the statement needs. */
export function isBusy(error: unknown): boolean {
  return ["SQLITE_BUSY", "SQLITE_LOCKED"].includes(resultCodeOf(error));
}
