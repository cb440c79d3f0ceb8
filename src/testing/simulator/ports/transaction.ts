import { AsyncReplyError } from "../../../contract/errors.js";
import type { JsonText, NewOperation } from "../../../contract/operation.js";
import type { TransactionEnd } from "../ledger/effects.js";
import type { Holding, Ledger } from "../ledger/ledger.js";
import type { Process } from "../world/world.js";
import { deferred } from "./deferred.js";

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
  readonly #recorded: { readonly operation: NewOperation; readonly resource: JsonText | undefined }[] = [];
  readonly #holdings: Holding[] = [];
  #abandon: ((reason: unknown) => Promise<void>) | undefined;
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
    if (this.#isOpen && holding !== undefined) this.holds(holding);
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

  /** Notes that others with this key have to wait until the end. */
  holds(holding: Holding): void {
    this.#holdings.push(holding);
    this.#ledger.holds(holding);
  }

  /** Notes an operation that is recorded if this commits, with its resource if one was created. */
  records(operation: NewOperation, resource?: JsonText): void {
    this.#recorded.push({ operation, resource });
  }

  /** Runs a statement that waits for the user. If this is rolled back meanwhile, the wait is abandoned first. */
  waits(abandon: (reason: unknown) => Promise<void>): void {
    this.#abandon = abandon;
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
    await this.#abandon?.(reason);
    this.#work.reject(reason);
    await this.#running?.catch(() => {});
    this.#end("rolled back");
  }

  #end(how: TransactionEnd): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ledger.effects.ended(this.#effects, how);
    for (const holding of this.#holdings) this.#ledger.releases(holding);
    const { operation } = this.#parts;
    const recorded = this.#recorded.map((each) => each.operation);
    if (how === "rolled back")
      for (const { id } of operation === undefined ? recorded : [...recorded, operation])
        this.#ledger.readings.rolledBack(id);
    if (how === "committed")
      for (const each of this.#recorded) this.#ledger.recordedWith(each.operation, each.resource);
  }
}

export function connectionLost(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "simulated: connection lost");
}
