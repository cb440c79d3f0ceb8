import type { BegunOperation } from "../../../ports/claim.js";
import type { Entries } from "./entry.js";

/** Checks that every attempt that a claim begins reaches one worker (I2, I7). */
export class Claims {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Called before the ledger records that a claim began attempts, or returned them again because the first answer was lost. */
  begun(token: string, begun: readonly BegunOperation[], isRepeated: boolean): void {
    const ids = begun.map(({ operation }) => operation.id);
    if (new Set(ids).size < ids.length) this.#entries.violated("I7", "a claim began an operation twice");
    for (const id of ids) {
      const entry = this.#entries.get(id);
      const isKnown = entry?.tokens.has(token) === true;
      if (isKnown && !(isRepeated && entry.token === token))
        this.#entries.violated("I7", `the same attempt of ${id} was claimed twice`);
    }
  }

  /** Checks that the answer that reached a worker has every attempt that the claim began. Otherwise one is lost. */
  answered(token: string, begun: readonly BegunOperation[]): void {
    const answered = new Set(begun.map(({ operation }) => operation.id));
    const now = this.#entries.now();
    const held = this.#entries.where((entry) => entry.token === token && entry.leaseEndsAt > now);
    for (const { id } of held)
      if (!answered.has(id))
        this.#entries.violated("I2", `the worker of an attempt of ${id} never received it`);
  }
}
