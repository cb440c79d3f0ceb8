import type { Operation } from "../../../contract/operation.js";
import type { Entries, Entry } from "./entry.js";

/** Checks that no attempt begins while its definition is paused (I23). */
export class Pauses {
  readonly #entries: Entries;
  readonly #paused = new Set<string>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that a store has paused a definition. */
  paused(definition: string): void {
    this.#paused.add(definition);
  }

  /** Records that a store is about to resume a definition. */
  resumed(definition: string): void {
    this.#paused.delete(definition);
  }

  has(definition: string): boolean {
    return this.#paused.has(definition);
  }

  /** Called before the ledger records an attempt. */
  begun({ id, token: current, recorded }: Entry, token: string, { state }: Operation): void {
    if (state === "pending" && current !== token && this.has(recorded.definition))
      this.#entries.violated("I23", `${id} began although ${recorded.definition} was paused`);
  }
}
