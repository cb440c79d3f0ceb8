import type { Entries } from "./entry.js";

/** How the transaction of an effect ended. `unknown`: its commit failed, so the outcome is not known yet. */
export type TransactionEnd = "committed" | "rolled back" | "unknown";

const ENDS: Readonly<Record<TransactionEnd | "open", string>> = {
  committed: "committed",
  "rolled back": "was rolled back",
  unknown: "may have committed",
  open: "is still open",
};

/** Checks that the writes of each transaction exist exactly once if it commits, and not at all otherwise (I10). */
export class Effects {
  readonly #entries: Entries;
  readonly #effects = new Map<string, TransactionEnd | "open">();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that an open transaction is about to write an effect. */
  writing(effect: string): void {
    this.#effects.set(effect, "open");
  }

  /** Records how the transaction of some effects ended. */
  ended(effects: readonly string[], end: TransactionEnd): void {
    for (const effect of effects) this.#effects.set(effect, end);
  }

  /** Compares all visible effects with how their transactions ended. */
  judge(written: readonly string[]): void {
    for (const [effect, end] of this.#effects) {
      const count = written.filter((each) => each === effect).length;
      if (end === "unknown" && count < 2)
        this.#effects.set(effect, count === 1 ? "committed" : "rolled back");
      else if (count !== (end === "committed" ? 1 : 0)) {
        const times = count === 1 ? "once" : `${count} times`;
        this.#entries.violated("I10", `${effect} was written ${times}, but its transaction ${ENDS[end]}`);
      }
    }
  }
}
