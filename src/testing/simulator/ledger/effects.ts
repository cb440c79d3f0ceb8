import type { Entries } from "./entry.js";

/** How the transaction of an effect ended. `unknown`: its commit failed, so that it may have happened or not. */
export type TransactionEnd = "committed" | "rolled back" | "unknown";

/** Follows what users write in transactions: it is there exactly once if they commit, and never if they do not (I10). */
export class Effects {
  readonly #entries: Entries;
  readonly #effects = new Map<string, TransactionEnd | "open">();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** An effect is about to be written in a transaction that is open. */
  writing(effect: string): void {
    this.#effects.set(effect, "open");
  }

  /** The transaction of some effects has ended. */
  ended(effects: readonly string[], end: TransactionEnd): void {
    for (const effect of effects) this.#effects.set(effect, end);
  }

  /** Compares all effects that can be seen. */
  judge(written: readonly string[]): void {
    for (const [effect, end] of this.#effects) {
      const count = written.filter((each) => each === effect).length;
      if (end === "unknown" && count < 2)
        this.#effects.set(effect, count === 1 ? "committed" : "rolled back");
      else if (count !== (end === "committed" ? 1 : 0)) {
        const state = end === "open" ? "is still open" : `has ${end}`;
        this.#entries.violated("I10", `${effect} was written ${count} times, and its transaction ${state}`);
      }
    }
  }
}
