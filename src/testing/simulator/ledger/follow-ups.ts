import { isTerminal, type Operation } from "../../../contract/operation.js";
import { cancelling } from "./contents.js";
import { type Entries, type Entry, endsByBeginning } from "./entry.js";

/**
 * Sees that every end creates its follow-up, once, and nothing else does (I11). An end that is known has its follow-up in the
 * entries, which must then end like all others. A follow-up can be met before the end of its operation is known.
 */
export class FollowUps {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** A worker got an operation. */
  met({ id, hidden, retryOf }: Operation): void {
    if (hidden !== true || retryOf !== undefined || this.#entries.get(id) !== undefined) return;
    const parent = this.#entries.parentOf(id);
    if (parent === undefined) this.#entries.violated("I11", `${id} is there, and no end creates it`);
    else this.#metBy(parent, id);
  }

  #metBy(parent: Entry, id: string): void {
    if (endsByBeginning(parent, this.#entries.now())) parent.contents.mayChange(cancelling);
    if (!parent.contents.mayBe(({ state }) => isTerminal(state)))
      this.#entries.violated("I11", `${id} is there, and ${parent.id} has not ended`);
    this.#entries.addFollowUp(parent);
  }
}
