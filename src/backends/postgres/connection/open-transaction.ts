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
    throw misuse(`Option \`tx\` must be ${example}, not ${shown(tx)}.`);
}

/** Waits for work. If the signal is aborted first, rejects with its reason and ignores the later result or error. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
