import { AsyncReplyError } from "../../contract/errors.js";

/** Returns the error of a transaction that the user's function has ended. */
export function transactionEnded(cause?: unknown): AsyncReplyError {
  return new AsyncReplyError(
    "INVALID_OPTION",
    "The transaction had already ended when its function returned, so what the function wrote may have been committed " +
      "without the operation. Do not run `commit`, `rollback` or `begin` in the function. Use savepoints instead.",
    cause === undefined ? {} : { cause },
  );
}
