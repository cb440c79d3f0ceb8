import { misuse, shown } from "../../../contract/options.js";

/**
 * Checks what a caller passes as its open transaction. Statements sent to a pool would run in no transaction at all.
 *
 * @param isPool whether `tx` is what transactions are taken from
 * @param example how to get a transaction
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function checkTransaction(tx: unknown, isPool: boolean, example: string): void {
  if (isPool)
    throw misuse(
      `Option \`tx\` is the pool or the database itself, whose statements run in no transaction. Pass ${example}.`,
    );
  if (typeof (tx as { readonly query?: unknown } | null)?.query !== "function")
    throw misuse(`Option \`tx\` must be ${example}, not ${shown(tx)}.`);
}
