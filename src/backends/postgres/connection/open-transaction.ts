import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse, shown } from "../../../contract/options.js";

/**
 * Checks the value that a caller passes as its open transaction. Statements sent to a pool would run outside of it.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param isPool whether `tx` is the pool or the database itself
 * @param example how to get a transaction
 */
export function checkTransaction(tx: unknown, isPool: boolean, example: string): void {
  if (isPool)
    throw misuse(
      `Option \`tx\` is the pool or the database itself, whose statements run outside of your transaction. Pass ${example}.`,
    );
  if (typeof (tx as { readonly query?: unknown } | null)?.query !== "function")
    throw misuse(
      `Option \`tx\` must be ${example}, not ${shown(tx)}. If it is the transaction of an ORM, pass \`transactions\` ` +
        "to `createPostgresBackend`, such as `fromDrizzle(db)`.",
    );
}

/**
 * Returns the error for a `tx` that is in no transaction.
 *
 * @param advice what to do, as a sentence
 */
export function notInTransaction(advice = "Begin one, and submit before you end it."): AsyncReplyError {
  return misuse(`Option \`tx\` is not in a transaction: it has ended, or was never begun. ${advice}`);
}

/** Returns the error for a `tx` that is a client of `pg` without a connection. */
export function neverConnected(): AsyncReplyError {
  return misuse(
    "Option `tx` is a `Client` of `pg` that was never connected. Call `await tx.connect()`, and then begin a transaction with " +
      '`await tx.query("begin")`.',
  );
}
