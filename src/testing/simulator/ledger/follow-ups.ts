import { isTerminal, type Operation } from "../../../contract/operation.js";
import { type Entries, type Entry, silentEnd } from "./entry.js";

/**
 * Checks that every end creates its follow-up exactly once, and that nothing else creates one (I11). When an end
 * becomes known, its follow-up is added to the entries and must end like every other operation. A worker can receive a
 * follow-up before the end of the parent operation is known.
 */
export class FollowUps {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that a worker began an operation. */
  begun({ id, hidden, retryOf }: Operation): void {
    if (hidden !== true || retryOf !== undefined || this.#entries.get(id) !== undefined) return;
    const parent = this.#entries.parentOf(id);
    if (parent === undefined)
      this.#entries.violated("I11", `follow-up ${id} exists, but no operation creates it`);
    else this.#createdBy(parent, id);
  }

  #createdBy(parent: Entry, id: string): void {
    const silent = silentEnd(parent, this.#entries.now());
    if (silent !== undefined) parent.contents.mayChange(silent);
    this.#entries.noteEnd(parent);
    if (!parent.contents.mayBe(({ state }) => isTerminal(state)))
      this.#entries.violated("I11", `follow-up ${id} exists, but ${parent.id} has not ended`);
    this.#entries.addFollowUp(parent);
  }
}
