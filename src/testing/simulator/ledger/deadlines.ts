import type { Operation } from "../../../contract/operation.js";
import type { OverdueOperation } from "../../../ports/operation-store.js";
import { expiring } from "./contents.js";
import { type Entries, type Entry, hasBegun, isOverdue } from "./entry.js";

/**
 * Checks that an operation with a deadline starts or expires, never both, that it never begins for the first time after its
 * deadline, and that each sweep ends those that are overdue (I26).
 */
export class Deadlines {
  readonly #entries: Entries;
  /** Whether transactions hold operations, so that a sweep may leave those that one has locked. */
  readonly #locks: boolean;

  constructor(entries: Entries, locks: boolean) {
    this.#entries = entries;
    this.#locks = locks;
  }

  /** Called before the ledger records an attempt. */
  begun(entry: Entry, { state, attempt, createdAt }: Operation, previousLost: boolean): void {
    if (state !== "pending") return;
    const { id, startedAs, recorded } = entry;
    entry.hasStarted ||= previousLost;
    // Otherwise the answer to an earlier one may have been lost.
    const isFirst = !hasBegun(entry) && attempt === 1;
    const { delayMs = 0, startWithinMs } = recorded;
    if (startWithinMs === undefined || !isFirst) return;
    const startBy = startedAs === "pending" ? createdAt + delayMs + startWithinMs : entry.startBy;
    if (startBy !== undefined && startBy < this.#entries.now())
      this.#violated(`${id} began ${this.#entries.now() - startBy} ms after its deadline`);
  }

  /** Records what a call of `endOverdue` has ended. */
  swept(limit: number, ended: readonly OverdueOperation[]): void {
    for (const operation of ended) this.#expired(operation);
    if (this.#locks || ended.length >= limit) return;
    for (const { id } of this.#entries.where((entry) => isOverdue(entry, this.#entries.now())))
      this.#violated(`${id} is overdue, but a sweep did not end it`);
  }

  #expired({ id, definition, tenant, principal }: OverdueOperation): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { recorded, startBy = 0, isVague } = entry;
    if (definition !== recorded.definition || tenant !== entry.tenant || principal !== recorded.principal)
      this.#entries.violated("I8", `${id} expired as ${definition} of ${tenant} and ${principal}`);
    if (hasBegun(entry) || recorded.startWithinMs === undefined)
      this.#violated(`${id} expired although it ${hasBegun(entry) ? "had begun" : "has no deadline"}`);
    else if (!isVague && startBy > this.#entries.now())
      this.#violated(`${id} expired ${startBy - this.#entries.now()} ms before its deadline`);
    if (!entry.contents.change(expiring))
      this.#entries.violated("I4", `${id} expired after it had ${entry.contents.current.state}`);
    this.#entries.noteEnd(entry);
  }

  #violated(what: string): void {
    this.#entries.violated("I26", what);
  }
}
