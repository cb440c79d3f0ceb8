import { AsyncReplyError } from "../../contract/errors.js";
import { adoptPromise } from "../../contract/options.js";

/** Calls a function of the user in a transaction, and tells its error from those of the store. */
export class UserFunction<Result> {
  readonly #work: (tx: unknown) => Result | Promise<Result>;
  readonly #name: string;
  #thrown: { readonly error: unknown } | undefined;

  /** @param name Method of the job that was called with the function, for messages. */
  constructor(work: (tx: unknown) => Result | Promise<Result>, name: string) {
    this.#work = work;
    this.#name = name;
  }

  /** Returns whether the function has thrown this error. */
  threw(error: unknown): boolean {
    return this.#thrown !== undefined && this.#thrown.error === error;
  }

  async call(tx: unknown): Promise<Result> {
    try {
      return await this.#work(tx);
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
  }

  /**
   * Calls the function in a synchronous transaction. `onLate` receives the error of a promise that it returns, because
   * nothing else handles it.
   *
   * Throws `NO_TRANSACTIONS` if it returns a promise.
   */
  callNow(handle: unknown, onLate: (error: unknown) => void): Result {
    let value: Result | Promise<Result>;
    try {
      value = adoptPromise(this.#work(handle));
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
    if (!(value instanceof Promise)) return value;
    value.catch(onLate);
    throw new AsyncReplyError(
      "NO_TRANSACTIONS",
      `The function of \`${this.#name}\` returned a promise, but the transactions of this back end are synchronous. The ` +
        "transaction was rolled back. Pass a function without `async`, and await other work before or after the transaction.",
    );
  }
}
