import type { Operation } from "../../../contract/operation.js";
import type { RedriveResult } from "../../../ports/operation-store.js";
import { type Entries, type Entry, stateOf } from "./entry.js";

/** New ids that a redrive passes to the store. */
export interface SuccessorIds {
  readonly id: string;
  readonly onEndId: string;
}

/** Checks that a failed operation has at most one successor, and that a redrive changes nothing else in it (I12). */
export class Redrives {
  readonly #entries: Entries;
  /** All redrives that may have happened, by the id of the successor. */
  readonly #requested = new Map<string, SuccessorIds>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that a redrive is about to reach the store. */
  requested(successor: SuccessorIds): void {
    this.#requested.set(successor.id, successor);
  }

  /** Checks the result that the store returned. */
  redriven(id: string, result: RedriveResult): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (result.outcome === "redriven") {
      if (result.created && entry.successor !== undefined)
        this.#entries.violated("I12", `${id} was redriven twice`);
      this.#setSuccessor(entry, result.operationId);
    } else if (result.outcome === "unknown") {
      if (!this.#entries.mayBeGone(entry))
        this.#entries.violated("I2", `${id} was not found before it expired`);
    } else if (hasFailedForSure(entry) && wasPending(entry))
      this.#entries.violated("I12", `${id} failed but could not be redriven`);
  }

  /** Returns failed operations that a redrive must run again, unless they expire first. */
  redrivable(matches: (entry: Entry) => boolean = () => true): readonly Entry[] {
    return this.#entries.where((entry) => hasFailedForSure(entry) && wasPending(entry) && matches(entry));
  }

  /**
   * Checks that each of these operations has a successor, after an operator has received the answer to its redrive.
   */
  checkRedriven(expected: readonly Entry[]): void {
    for (const entry of expected) {
      if (entry.successor === undefined && !this.#entries.mayBeGone(entry))
        this.#entries.violated("I12", `${entry.id} failed but was not run again`);
    }
  }

  /** Checks the id of the successor that a redrive returned to an operator. */
  returned(id: string, operationId: string): void {
    const successor = this.#entries.get(id)?.successor;
    if (operationId !== successor)
      this.#entries.violated(
        "I12",
        `the successor of ${id} is ${successor}, but its redrive returned ${operationId}`,
      );
  }

  /** Records that a worker began an operation. This can happen before the redrive that created it is answered. */
  begun({ id, retryOf }: Operation): void {
    const failed = retryOf === undefined ? undefined : this.#entries.get(retryOf);
    if (failed !== undefined) this.#setSuccessor(failed, id);
  }

  /** Checks the successor of an operation that a store returned. */
  read(entry: Entry, { retriedBy }: Pick<Operation, "retriedBy">): void {
    if (retriedBy !== undefined) this.#setSuccessor(entry, retriedBy);
    else if (entry.successor !== undefined)
      this.#entries.violated("I12", `${entry.id} was read without its successor ${entry.successor}`);
  }

  #setSuccessor(entry: Entry, id: string): void {
    if (entry.successor === id) return;
    if (entry.successor !== undefined)
      this.#entries.violated("I12", `${entry.id} has the successors ${entry.successor} and ${id}`);
    if (!entry.contents.mayBe(({ state }) => state === "failed") || !wasPending(entry))
      this.#entries.violated("I12", `${entry.id} was redriven but is ${stateOf(entry)}`);
    const ids = this.#requested.get(id);
    if (ids === undefined)
      this.#entries.violated("I12", `${entry.id} has the successor ${id}, which no redrive created`);
    else this.#addSuccessor(entry, ids);
  }

  #addSuccessor(entry: Entry, { id, onEndId }: SuccessorIds): void {
    entry.successor = id;
    const { key: _, delayMs: __, onEnd, ...work } = entry.recorded;
    const followUp = onEnd === undefined ? {} : { onEnd: { ...onEnd, id: onEndId } };
    // It may have been due before this is known.
    this.#entries.add({ ...work, ...followUp, id, retryOf: entry.id }).isVague = true;
  }
}

function hasFailedForSure({ contents }: Entry): boolean {
  return !contents.isUncertain && contents.current.state === "failed";
}

/** Returns whether an operation was ever pending. Only such an operation can be redriven. */
function wasPending({ contents, startedAs }: Entry): boolean {
  return startedAs === "pending" || contents.mayBe(({ resource }) => resource !== undefined);
}
