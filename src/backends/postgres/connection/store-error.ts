import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { DETAILS } from "../../shared/details.js";
import { codeOf, isSqlState, withoutData } from "./driver-error.js";

/**
 * Whether the same transaction can succeed if it runs again: after a serialization failure, after a deadlock, or if the next
 * release has added a column to the table during the call.
 */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01", "42804"].includes(causeOf(error));
}

/** Returns the code of an error, or of its cause if {@link toStoreError} created the error. */
function causeOf(error: unknown): string {
  return codeOf(isAsyncReplyError(error) ? error.cause : error);
}

/** Whether one row caused the error, so the statement would have succeeded without that row. */
export function isRowError(error: unknown): boolean {
  const code = codeOf(error);
  return code === "55P03" || /^(22|23|54)/.test(code);
}

/**
 * Whether the connection or the answer was lost. It is unknown whether the statement ran. This includes errors of a
 * former primary that became read-only in a failover.
 */
export function isConnectionError(error: unknown): boolean {
  if (isReadOnly(error)) return true;
  const code = codeOf(error);
  return !isSqlState(code) || /^(08|57P)/.test(code);
}

/** Whether the database itself refused a statement or a commit, so it had no effect. */
export function isRefusal(error: unknown): boolean {
  const code = causeOf(error);
  // After these errors, it is unknown whether the statement took effect.
  return isSqlState(code) && !/^(08|57P|58|XX|40003)/.test(code);
}

/** Whether the error says that the connection is read-only. */
export function isReadOnly(error: unknown): boolean {
  return causeOf(error) === "25006";
}

/** Returns a sentence that says what to do about a driver's error, or undefined. */
export type Explain = (error: unknown) => string | undefined;

/**
 * Converts a driver's error to the error that the ports document. Its `cause` is the driver's error without any data.
 * Events and logs show the sentence that `explain` returns.
 */
export function toStoreError(error: unknown, explain?: Explain): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  const code = codeOf(error);
  const cause = withoutData(error);
  if (/^(22|23|54)/.test(code)) return new AsyncReplyError("INTERNAL", DETAILS.unstorable, { cause });
  const eventDetail = explain?.(error);
  const context = eventDetail === undefined ? { cause } : { cause, eventDetail };
  if (/^53/.test(code)) return new AsyncReplyError("OVERLOADED", DETAILS.full, context);
  return new AsyncReplyError("STORE_UNAVAILABLE", UNAVAILABLE[code] ?? DETAILS.unreachable, context);
}

/** Details of errors after which the same call can succeed, even though the store was reached. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  "25P02": "An earlier statement of the transaction failed. Roll it back, and run all of it again.",
  "40001": "The transaction conflicts with another one. Run it again.",
  "40P01": "The transaction and another one were in a deadlock. Run it again.",
  "55P03": "Another transaction holds a lock on this operation or key.",
};
