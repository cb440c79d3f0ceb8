import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { codeOf, isSqlState } from "./error-code.js";
import { withoutData } from "./error-without-data.js";

/** Whether the transaction may succeed when it is simply run again: serialization failures and deadlocks. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(causeOf(error));
}

/** The same, also of an error that {@link toStoreError} has made. */
function causeOf(error: unknown): string {
  return codeOf(isAsyncReplyError(error) ? error.cause : error);
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
  return !isSqlState(code) || /^(08|57P)/.test(code);
}

/** Whether the database itself has refused a statement or a commit, so that nothing of it took effect. */
export function isRefusal(error: unknown): boolean {
  const code = causeOf(error);
  // Of these it is not known how far the statement got.
  return isSqlState(code) && !/^(08|57P|58|XX|40003)/.test(code);
}

/** Whether the connection leads to a server that takes no writes. */
export function isReadOnly(error: unknown): boolean {
  return causeOf(error) === "25006";
}

/** Returns what to do about an error of the driver, or undefined. */
export type Explain = (error: unknown) => string | undefined;

/**
 * An error of the database as the ports tell it. The driver's own is the `cause`, without the data that it quotes. Events and logs
 * show what `explain` returns.
 */
export function toStoreError(error: unknown, explain?: Explain): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  const code = codeOf(error);
  const cause = withoutData(error);
  if (/^(22|23|54)/.test(code))
    return new AsyncReplyError("INTERNAL", "The store cannot keep this.", { cause });
  const eventDetail = explain?.(error);
  const context = eventDetail === undefined ? { cause } : { cause, eventDetail };
  if (/^53/.test(code)) return new AsyncReplyError("OVERLOADED", "The store is full.", context);
  return new AsyncReplyError(
    "STORE_UNAVAILABLE",
    UNAVAILABLE[code] ?? "The store cannot be reached.",
    context,
  );
}

/** What can be tried again as it is, though the store was reached. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  "40001": "The transaction conflicts with another one. Run it again.",
  "40P01": "The transaction and another one waited for each other. Run it again.",
  "55P03": "Another transaction holds a lock on this operation or key.",
};
