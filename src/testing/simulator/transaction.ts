import { AsyncReplyError } from "../../contract/errors.js";
import type { NewOperation } from "../../contract/operation.js";
import type { TransactionEnd } from "./effects.js";
import type { Holding, Ledger } from "./ledger.js";
import type { Process } from "./world.js";

/** One transaction of a process. */
export interface TransactionParts<Value, Result> {
  readonly process: Process;
  /** What it is for: `own` is one of the user's own. */
  readonly kind: "record" | "settle" | "own";
  /** Tells it from others of its kind in the trace. */
  readonly name: string;
  /** Begins it on the back end, calls `work` in it, and commits when that resolves. */
  readonly start: (work: (tx: unknown) => Promise<Value>) => Promise<Result>;
  /** Runs in the process, between begin and commit. */
  readonly work: (tx: unknown) => Promise<Value>;
  /** Returns whether a result means that it has committed. */
  readonly isCommitted: (result: Result) => boolean;
  /** What it records besides what is recorded in it later. */
  readonly operation?: NewOperation;
  /** Whose key it keeps to itself while it is open: others with it have to wait. Default: that of `operation`. */
  readonly holding?: Holding | undefined;
  readonly onCommit?: (value: Value, result: Result) => void;
  /** Called if the commit failed, so that nobody knows whether it happened. */
  readonly onUnknown?: (value: Value) => void;
}

/** Begun; or over before any work, with this result. */
export type Begun<Result> = { readonly tx: unknown } | { readonly result: Result };

/** A transaction of a back end, taken apart so that other things can happen in the middle of it. */
export class Transaction<Value, Result> {
  readonly process: Process;
  /** From then on only the commit decides. */
  isCommitting = false;
  readonly #parts: TransactionParts<Value, Result>;
  readonly #ledger: Ledger;
  readonly #effects: string[] = [];
  readonly #recorded: NewOperation[] = [];
  readonly #work = deferred<Value>();
  readonly #givenUp = deferred<never>();
  #running: Promise<Result> | undefined;
  #isLost = false;
  #isOpen = false;

  constructor(parts: TransactionParts<Value, Result>, ledger: Ledger) {
    this.process = parts.process;
    this.#parts = parts;
    this.#ledger = ledger;
  }

  /** Whether its connection is broken, so that nothing in it reaches the back end any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Rejects if the back end gives it up by itself. */
  get givenUp(): Promise<never> {
    return this.#givenUp.promise;
  }

  async begin(): Promise<Begun<Result>> {
    const begun = await new Promise<Begun<Result>>((resolve, reject) => {
      this.#running = this.#parts.start((tx) => {
        resolve({ tx });
        return this.#work.promise;
      });
      this.#running.then(
        (result) => resolve({ result }),
        (error: unknown) => {
          reject(error);
          this.#givenUp.reject(error);
        },
      );
    });
    this.#isOpen = "tx" in begun;
    const { operation, holding = operation } = this.#parts;
    if (this.#isOpen && holding !== undefined) this.#ledger.holds(holding);
    // Its process has stopped waiting for it.
    if (this.#isLost) await this.rollBack(connectionLost());
    return begun;
  }

  /** Notes an effect that is about to be written. After the end it must not get in. */
  writing(effect: string): void {
    this.#ledger.effects.writing(effect);
    if (this.#isOpen) this.#effects.push(effect);
    else this.#ledger.effects.ended([effect], "rolled back");
  }

  /** Notes an operation that is recorded if this commits. */
  records(operation: NewOperation): void {
    this.#recorded.push(operation);
    this.#ledger.holds(operation);
  }

  async commit(value: Value): Promise<Result> {
    if (this.#isLost) throw connectionLost();
    const { isCommitted, onCommit, onUnknown } = this.#parts;
    this.#work.resolve(value);
    try {
      const result = await (this.#running as Promise<Result>);
      this.#end(isCommitted(result) ? "committed" : "rolled back");
      if (isCommitted(result)) onCommit?.(value, result);
      return result;
    } catch (error) {
      this.#end("unknown");
      onUnknown?.(value);
      throw error;
    }
  }

  /** Rolls it back unless it has ended. What was not begun yet is not begun any more. */
  async rollBack(reason: unknown): Promise<void> {
    this.#isLost = true;
    this.#work.reject(reason);
    await this.#running?.catch(() => {});
    this.#end("rolled back");
  }

  #end(how: TransactionEnd): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ledger.effects.ended(this.#effects, how);
    const { operation, holding } = this.#parts;
    if (holding !== undefined) this.#ledger.releases(holding);
    for (const each of [...this.#recorded, ...(operation === undefined ? [] : [operation])]) {
      this.#ledger.releases(each);
      if (how === "rolled back") this.#ledger.readings.rolledBack(each.id);
    }
    if (how === "committed") for (const each of this.#recorded) this.#ledger.recorded(each);
  }
}

export function connectionLost(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "simulated: connection lost");
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** A promise that may reject without anybody waiting for it. */
function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
