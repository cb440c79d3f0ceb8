import { AsyncReplyError, isAsyncReplyError } from "../../core/errors.js";

/** The code that Postgres (SQLSTATE) or Node gives an error. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

/** Whether the transaction may succeed when it is simply run again: serialization failures and deadlocks. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error));
}

/** Whether something of the data is at fault, so that other rows of the same statement would have passed. */
export function isRowError(error: unknown): boolean {
  const code = codeOf(error);
  return code === "55P03" || /^(22|23|54)/.test(code);
}

/**
 * Whether the answer, or the way to the database, was lost; the work may have been done or not. So it is with a connection
 * to a server that was the primary until another took over.
 */
export function isConnectionError(error: unknown): boolean {
  if (isReadOnly(error)) return true;
  const code = codeOf(error);
  // What has no SQLSTATE did not come from the database but from the way to it.
  return !/^[0-9A-Z]{5}$/.test(code) || /^(08|57P)/.test(code);
}

/** Whether the connection leads to a server that takes no writes. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(isAsyncReplyError(error) ? error.cause : error) === "25006";
}

/** An error of the database as the ports tell it. What it says itself goes into `cause`: it names hosts and tables. */
export function toStoreError(error: unknown): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  const code = codeOf(error);
  if (/^53/.test(code)) return new AsyncReplyError("OVERLOADED", "The store is full.", { cause: error });
  if (/^(22|23|54)/.test(code)) {
    return new AsyncReplyError("INTERNAL", "The store cannot keep this.", { cause: error });
  }
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store cannot be reached.", { cause: error });
}
