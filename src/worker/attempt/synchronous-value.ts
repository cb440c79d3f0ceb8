import { AsyncReplyError } from "../../contract/errors.js";
import { adoptPromise } from "../../contract/promises.js";

/**
 * Returns what the function of a synchronous transaction returned. `onLate` receives the error of a promise, because
 * nothing else handles it.
 *
 * Throws `NO_TRANSACTIONS` if it is a promise.
 */
export function synchronousValue<Value>(
  returned: Value | Promise<Value>,
  onLate: (error: unknown) => void,
): Value {
  const value = adoptPromise(returned);
  if (!(value instanceof Promise)) return value;
  value.catch(onLate);
  throw new AsyncReplyError(
    "NO_TRANSACTIONS",
    "The function of `job.transaction` returned a promise, but the transactions of this back end are synchronous. The " +
      "transaction was rolled back. Pass a function without `async`, and await other work before or after the transaction.",
  );
}
