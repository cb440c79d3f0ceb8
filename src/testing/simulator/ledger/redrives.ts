import type { Operation } from "../../../contract/operation.js";
import type { RedriveResult } from "../../../ports/operation-store.js";
import { type Entries, type Entry, stateOf } from "./entry.js";

/** The ids that a redrive brings. */
export interface SuccessorIds {
  readonly id: string;
  readonly onEndId: string;
}

/** Sees that a failed operation has one successor at most, and changes in nothing else (I12). */
export class Redrives {
  readonly #entries: Entries;
  /** Every redrive that may have been done, by the id that it brought. */
  readonly #asked = new Map<string, SuccessorIds>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** A redrive is about to reach the store. */
  asked(successor: SuccessorIds): void {
    this.#asked.set(successor.id, successor);
  }

  answered(id: string, result: RedriveResult): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (result.outcome === "redriven") {
      if (result.created && entry.successor !== undefined)
        this.#entries.violated("I12", `${id} was redriven again`);
      this.#succeeds(entry, result.operationId);
    } else if (result.outcome === "unknown") {
      if (!this.#entries.isOver(entry)) this.#entries.violated("I2", `${id} is gone before its time`);
    } else if (hasFailedForSure(entry) && hadWork(entry))
      this.#entries.violated("I12", `${id} has failed and cannot be redriven`);
  }

  /** Failed operations that a redrive must run again, unless their time is over before it is done. */
  open(matches: (entry: Entry) => boolean = () => true): readonly Entry[] {
    return this.#entries.where((entry) => hasFailedForSure(entry) && hadWork(entry) && matches(entry));
  }

  /** A redrive of these operations was answered to an operator: each of them has its successor now. */
  done(redriven: readonly Entry[]): void {
    for (const entry of redriven) {
      if (entry.successor === undefined && !this.#entries.isOver(entry))
        this.#entries.violated("I12", `${entry.id} has failed and was not run again`);
    }
  }

  /** The answer to a redrive reached an operator. */
  told(id: string, { outcome, ...result }: RedriveResult): void {
    const successor = this.#entries.get(id)?.successor;
    if (outcome === "redriven" && "operationId" in result && result.operationId !== successor)
      this.#entries.violated("I12", `${id} is run again by ${successor}, not by ${result.operationId}`);
  }

  /** A worker got an operation, maybe before the answer to the redrive that created it. */
  met({ id, retryOf }: Operation): void {
    const failed = retryOf === undefined ? undefined : this.#entries.get(retryOf);
    if (failed !== undefined) this.#succeeds(failed, id);
  }

  /** A store returned an operation. */
  seen(entry: Entry, { retriedBy }: Pick<Operation, "retriedBy">): void {
    if (retriedBy !== undefined) this.#succeeds(entry, retriedBy);
    else if (entry.successor !== undefined)
      this.#entries.violated("I12", `${entry.id} is shown without its successor ${entry.successor}`);
  }

  #succeeds(entry: Entry, id: string): void {
    if (entry.successor === id) return;
    if (entry.successor !== undefined)
      this.#entries.violated("I12", `${entry.id} has the successors ${entry.successor} and ${id}`);
    if (!entry.contents.mayBe(({ state }) => state === "failed") || !hadWork(entry))
      this.#entries.violated("I12", `${entry.id} was redriven and is ${stateOf(entry)}`);
    const ids = this.#asked.get(id);
    if (ids === undefined)
      this.#entries.violated("I12", `${entry.id} has the successor ${id}, and no redrive brought it`);
    else this.#addSuccessor(entry, ids);
  }

  #addSuccessor(entry: Entry, { id, onEndId }: SuccessorIds): void {
    entry.successor = id;
    const { key: _, delayMs: __, onEnd, ...work } = entry.recorded;
    const followUp = onEnd === undefined ? {} : { onEnd: { ...onEnd, id: onEndId } };
    this.#entries.add({ ...work, ...followUp, id, retryOf: entry.id });
  }
}

function hasFailedForSure({ contents }: Entry): boolean {
  return !contents.isUncertain && contents.current.state === "failed";
}

/** Returns whether it was ever pending. */
function hadWork({ contents, startedAs }: Entry): boolean {
  return startedAs === "pending" || contents.mayBe(({ resource }) => resource !== undefined);
}
