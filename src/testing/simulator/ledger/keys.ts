import type { Entries } from "./entry.js";
import type { Request } from "./payloads.js";

/** A key that an open transaction holds. Other submissions with it have to wait. */
export type Holding = Pick<Request, "tenant" | "definition"> & { readonly key?: string | undefined };

/**
 * Checks that each key has one operation while it lives (I1), that no retry waits for a crashed submission (I5), and that a
 * full backlog refuses no retry of what was accepted (I25).
 */
export class Keys {
  readonly #entries: Entries;
  /** Operation of each key, from its latest creation, promise or effect. */
  readonly #operationOfKey = new Map<string, string>();
  /** Time until which an open transaction held each key. */
  readonly #heldUntil = new Map<string, number>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that a key belongs to an operation. */
  bind(holding: Holding, id: string): void {
    // Late news of an expired operation must not take the key from the operation that has it now.
    if (holding.key === undefined || this.#isExpired(id)) return;
    const name = nameOf(holding);
    const owner = this.#operationOfKey.get(name);
    if (owner !== undefined && owner !== id && !this.#isExpired(owner)) {
      this.#entries.violated("I1", `key ${name} belongs to ${owner} and to ${id}`);
    }
    this.#operationOfKey.set(name, id);
  }

  /** Records an effect of an operation: its work, or the creation of its resource. */
  effect(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) this.#entries.violated("I1", `${id} had an effect but was never created`);
    else this.bind(entry.recorded, id);
  }

  /** Records that an open transaction holds a key. Other submissions with it have to wait. */
  holds(holding: Holding): void {
    this.#heldUntil.set(nameOf(holding), Number.POSITIVE_INFINITY);
  }

  /** Records that the transaction that held a key has ended. */
  releases(holding: Holding): void {
    this.#heldUntil.set(nameOf(holding), this.#entries.now());
  }

  /** Records that a submission was refused because another process is handling its key. Checks that one is. */
  refusedAsInProgress(request: Request): void {
    const { startedAt } = request;
    if ((this.#heldUntil.get(nameOf(request)) ?? 0) >= startedAt) return;
    const id = this.#operationOfKey.get(nameOf(request));
    const entry = id === undefined ? undefined : this.#entries.get(id);
    if (entry !== undefined && Math.max(entry.leaseEndsAt, entry.endedAt ?? 0) < startedAt) {
      const what = `a retry has to wait for ${entry.id}, although no process is working on it`;
      this.#entries.violated("I5", what);
    }
  }

  /** Records that a submission was refused because the backlog is full. Checks that its key was not known before. */
  refusedAsFull({ tenant, definition, key, moment }: Request): void {
    if (key === undefined) return;
    const [owner] = this.#entries.where(
      (entry) =>
        entry.tenant === tenant &&
        entry.key === key &&
        entry.recorded.definition === definition &&
        entry.addedAt <= moment &&
        !entry.mayBeAbsent &&
        !this.#entries.isExpired(entry),
    );
    if (owner !== undefined)
      this.#entries.violated("I25", `key ${key} of ${owner.id} was refused because the backlog is full`);
  }

  #isExpired(id: string): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && this.#entries.isExpired(entry);
  }
}

function nameOf({ tenant, definition, key = "" }: Holding): string {
  return `${tenant}/${definition}/${key}`;
}
