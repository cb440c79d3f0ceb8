import { AsyncReplyError } from "../../../contract/errors.js";
import type { JsonText, NewOperation } from "../../../contract/operation.js";
import type { TransactionEnd } from "../ledger/effects.js";
import type { Holding } from "../ledger/keys.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Process } from "../world/process.js";
import { deferred } from "./deferred.js";

/** Description of one transaction of a process. */
export interface TransactionParts<Value, Result> {
  readonly process: Process;
  /** Purpose of the transaction. `own` is a transaction of the user. */
  readonly kind: "record" | "settle" | "append" | "own";
  /** Distinguishes the transaction from others of its kind in the trace. */
  readonly name: string;
  /** Begins the transaction on the back end, calls `work` in it, and commits when `work` resolves. */
  readonly start: (work: (tx: unknown) => Promise<Value>) => Promise<Result>;
  /** The work of the process between begin and commit. */
  readonly work: (tx: unknown) => Promise<Value>;
  /** Returns whether a result means that the transaction has committed. */
  readonly isCommitted: (result: Result) => boolean;
  /** Operation that the transaction itself records, if any. Calls of `recordIn` can add others. */
  readonly operation?: NewOperation;
  /**
   * Key that the transaction holds while it is open. Other submissions with it have to wait. Default: that of
   * `operation`.
   */
  readonly holding?: Holding | undefined;
  readonly onCommit?: (value: Value, result: Result) => void;
  /** Called if the commit failed, so it is unknown whether it happened. */
  readonly onUnknown?: (value: Value) => void;
}

/** Result of a begin: a transaction handle, or the final result if the call ended before any work. */
export type Begun<Result> = { readonly tx: unknown } | { readonly result: Result };

/**
 * Splits a transaction of a back end into begin, statements and commit, so that other events can happen in between.
 */
export class Transaction<Value, Result> {
  readonly process: Process;
  /** Whether the commit has been issued. Then only the commit decides how the transaction ends. */
  isCommitting = false;
  readonly #parts: TransactionParts<Value, Result>;
  readonly #ledger: Ledger;
  readonly #effects: string[] = [];
  readonly #recorded: { readonly operation: NewOperation; readonly resource: JsonText | undefined }[] = [];
  readonly #holdings: Holding[] = [];
  #abandon: ((reason: unknown) => Promise<void>) | undefined;
  readonly #work = deferred<Value>();
  readonly #aborted = deferred<never>();
  #running: Promise<Result> | undefined;
  #isLost = false;
  #isOpen = false;

  constructor(parts: TransactionParts<Value, Result>, ledger: Ledger) {
    this.process = parts.process;
    this.#parts = parts;
    this.#ledger = ledger;
  }

  /** Whether the connection is broken. Then no statement reaches the back end anymore. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Rejects if the back end aborts the transaction. */
  get aborted(): Promise<never> {
    return this.#aborted.promise;
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
          this.#aborted.reject(error);
        },
      );
    });
    this.#isOpen = "tx" in begun;
    const { operation, holding = operation } = this.#parts;
    if (this.#isOpen && holding !== undefined) this.holds(holding);
    // The process died or lost its connection in the meantime.
    if (this.#isLost) await this.rollBack(connectionLost());
    return begun;
  }

  /** Records an effect that is about to be written. After the end of the transaction, it must not be written. */
  writing(effect: string): void {
    this.#ledger.effects.writing(effect);
    if (this.#isOpen) this.#effects.push(effect);
    else this.#ledger.effects.ended([effect], "rolled back");
  }

  /** Records that other submissions with this key have to wait until the transaction ends. */
  holds(holding: Holding): void {
    this.#holdings.push(holding);
    this.#ledger.keys.holds(holding);
  }

  /** Records an operation that exists if the transaction commits, with the resource that was created for it. */
  records(operation: NewOperation, resource?: JsonText): void {
    this.#recorded.push({ operation, resource });
  }

  /** Registers a statement that waits for a function of the user. A rollback abandons that statement first. */
  onRollBack(abandon: (reason: unknown) => Promise<void>): void {
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

  /** Rolls the transaction back unless it has ended. If it has not begun yet, it is rolled back when it begins. */
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
    for (const holding of this.#holdings) this.#ledger.keys.releases(holding);
    const { operation } = this.#parts;
    const recorded = this.#recorded.map((each) => each.operation);
    if (how === "rolled back")
      for (const { id } of operation === undefined ? recorded : [...recorded, operation])
        this.#ledger.readings.rolledBack(id);
    for (const each of this.#recorded) {
      if (how === "committed") this.#ledger.records.recordedWith(each.operation, each.resource);
      if (how === "unknown") this.#ledger.records.mayHaveRecorded(each.operation, each.resource);
    }
  }
}

export function connectionLost(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "simulated: connection lost");
}
