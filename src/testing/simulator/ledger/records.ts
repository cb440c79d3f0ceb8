import type { JsonText, NewOperation } from "../../../contract/operation.js";
import type { InitialState } from "../../../ports/operation-store.js";
import type { Entries } from "./entry.js";
import type { Keys } from "./keys.js";

/** Adds operations to the entries when they are recorded, each of them once (I1), and none for a refused request (I3). */
export class Records {
  readonly #entries: Entries;
  readonly #keys: Keys;

  constructor(entries: Entries, keys: Keys) {
    this.#entries = entries;
    this.#keys = keys;
  }

  /** Records that a store created an operation. */
  created(operation: NewOperation, initial?: InitialState): void {
    const { id, key } = operation;
    const known = this.#entries.get(id);
    if (known !== undefined) {
      // The process that holds the lease may repeat the creation.
      const repeated = initial?.state === "preparing" && known.token === initial.token;
      if (!repeated) this.#entries.violated("I1", `${id} was created twice`);
      return;
    }
    if (key?.startsWith("refused") === true)
      this.#entries.violated("I3", `${id} was created for a refused request`);
    this.#entries.add(operation, initial);
    this.#keys.bind(operation, id);
  }

  /**
   * Records that a key and its operation were recorded in one step. The process that chose the id may repeat this
   * step.
   */
  recorded(operation: NewOperation, initial?: InitialState): void {
    const entry = this.#entries.get(operation.id);
    if (entry === undefined) this.created(operation, initial);
    else if (entry.mayBeAbsent) {
      entry.mayBeAbsent = false;
      this.#keys.bind(operation, operation.id);
    }
  }

  /** Records that a committed transaction has recorded an operation, with the resource that it created. */
  recordedWith(operation: NewOperation, resource?: JsonText): void {
    this.recorded(operation);
    const entry = this.#entries.get(operation.id);
    if (entry === undefined) return;
    // It is due from the statement that recorded it, which may be long before the commit.
    entry.isVague = true;
    if (resource !== undefined) entry.contents.change((content) => ({ ...content, resource }));
  }

  /** Records that a commit failed that would have recorded an operation, so it is unknown whether it exists. */
  mayHaveRecorded(operation: NewOperation, resource?: JsonText): void {
    if (this.#entries.get(operation.id) !== undefined) return;
    const entry = this.#entries.add(operation);
    entry.contents.change((content) => ({ ...content, resource }));
    entry.mayBeAbsent = true;
    entry.isVague = true;
  }
}
