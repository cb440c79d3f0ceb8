import { DEFAULT_URGENCY } from "../../../contract/operation.js";
import type { BegunOperation } from "../../../ports/claim.js";
import { PROCESSOR_OPTIONS } from "../actors/options.js";
import { type Entries, type Entry, mayBeOverdue, waits } from "./entry.js";
import type { Places } from "./places.js";

/**
 * How many orders of the other tenant a process may begin, of the same urgency, while an order of a tenant is due and has a
 * place: those of one claim.
 */
const MAX_PASSED = PROCESSOR_OPTIONS.orders.concurrency;

/** Checks that claims begin urgent orders first, and that no tenant is passed over more often than the bound (I24). */
export class Turns {
  readonly #entries: Entries;
  readonly #places: Places;
  /** Whether the store promises both. */
  readonly #kept: boolean;
  /** How many orders of others have begun since one of this tenant could begin, by process, urgency and tenant. */
  readonly #passed = new Map<string, number>();

  constructor(entries: Entries, places: Places, kept: boolean) {
    this.#entries = entries;
    this.#places = places;
    this.#kept = kept;
  }

  /** Returns the orders that have their turn with this claim. Called before the ledger records its attempts. */
  taken(begun: readonly BegunOperation[]): readonly Entry[] {
    if (!this.#kept) return [];
    return begun.flatMap(({ operation }) => {
      const entry = this.#entries.get(operation.id);
      return entry !== undefined && isWaitingOrder(entry) ? entry : [];
    });
  }

  /** Checks a claim of a process after the ledger has recorded its attempts. */
  claimed(process: string, taken: readonly Entry[]): void {
    if (taken.length === 0) return;
    const waiting = this.#entries.where((entry) => this.#mayBegin(entry));
    const least = Math.max(...taken.map(urgencyOf));
    const passed = waiting.find((entry) => urgencyOf(entry) < least);
    if (passed !== undefined && !this.#isOverdueBefore(least))
      this.#violated(`${passed.id} of urgency ${urgencyOf(passed)} waits, but one of ${least} began`);
    this.#countPassed(process, taken, waiting);
  }

  /** Returns whether overdue work may have taken the turn: claims leave it out, and the next sweep ends it. */
  #isOverdueBefore(urgency: number): boolean {
    const now = this.#entries.now();
    const overdue = this.#entries.where((entry) => mayBeOverdue(entry, now));
    return overdue.some((entry) => entry.recorded.definition === "orders" && urgencyOf(entry) < urgency);
  }

  #countPassed(process: string, taken: readonly Entry[], waiting: readonly Entry[]): void {
    const others = new Map<string, number>();
    for (const entry of waiting) {
      if (taken.some(({ tenant }) => tenant === entry.tenant)) continue;
      const urgency = urgencyOf(entry);
      const line = `${process} ${urgency} ${entry.tenant}`;
      const began = taken.filter((other) => urgencyOf(other) === urgency).length;
      others.set(line, (this.#passed.get(line) ?? 0) + began);
    }
    const isOver = (line: string): boolean =>
      line.startsWith(`${process} `) || taken.some(({ tenant }) => line.endsWith(` ${tenant}`));
    for (const line of this.#passed.keys()) if (isOver(line)) this.#passed.delete(line);
    for (const [line, count] of others) {
      this.#passed.set(line, count);
      if (count > MAX_PASSED) this.#violated(`"${line}" was passed over by ${count} orders of others`);
    }
  }

  /** Returns whether an order could begin now. */
  #mayBegin(entry: Entry): boolean {
    const now = this.#entries.now();
    if (
      !isWaitingOrder(entry) ||
      entry.dueAt > now ||
      mayBeOverdue(entry, now) ||
      this.#entries.mayBeGone(entry)
    )
      return false;
    return this.#places.isFree(entry);
  }

  #violated(what: string): void {
    this.#entries.violated("I24", what);
  }
}

function urgencyOf({ recorded: { urgency } }: Pick<Entry, "recorded">): number {
  return urgency ?? DEFAULT_URGENCY;
}

function isWaitingOrder(entry: Entry): boolean {
  return entry.recorded.definition === "orders" && waits(entry);
}
