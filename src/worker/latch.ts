import type { Clock } from "../ports/runtime.js";

/**
 * A flag that is raised once, with any number of listeners. An AbortSignal would work too, but platforms warn of a
 * leak at more than ten listeners, and a worker has one listener per operation that waits for a retry.
 */
export class Latch {
  readonly #listeners = new Links<() => void>();
  #raised = false;

  get raised(): boolean {
    return this.#raised;
  }

  raise(): void {
    if (this.#raised) return;
    this.#raised = true;
    for (let listener = this.#listeners.shift(); listener !== undefined; listener = this.#listeners.shift())
      listener();
  }

  /**
   * Calls the listener when the flag is raised, or at once if it already is. Returns a function that removes the
   * listener.
   */
  onRaise(listener: () => void): () => void {
    if (this.#raised) {
      listener();
      return () => {};
    }
    const link = this.#listeners.add(listener);
    return () => this.#listeners.remove(link);
  }
}

/** Resolves after `ms` milliseconds, or as soon as the latch is raised. */
export function sleep(ms: number, clock: Clock, latch: Latch): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.schedule(ms, () => {
      cancelRaise();
      resolve();
    });
    const cancelRaise = latch.onRaise(() => {
      cancelTimer();
      resolve();
    });
  });
}

/** Place of an item in {@link Links}. */
export interface Link<T> {
  readonly item: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/**
 * Items in the order in which they were added. They are linked, and not in a `Set` or a `Map`: whenever one of these
 * moves its items to a new table, the old table keeps them, and with them whole attempts, until the next full garbage
 * collection.
 */
export class Links<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  /** Adds an item. Returns its place, to remove it. */
  add(item: T): Link<T> {
    const link: Link<T> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    return link;
  }

  /** Removes an item. Can be repeated. */
  remove(link: Link<T>): void {
    const { before, after } = link;
    if (before !== undefined) before.after = after;
    else if (this.#first === link) this.#first = after;
    if (after !== undefined) after.before = before;
    else if (this.#last === link) this.#last = before;
    link.before = undefined;
    link.after = undefined;
  }

  /** Removes and returns the first item, or undefined without items. */
  shift(): T | undefined {
    const first = this.#first;
    if (first !== undefined) this.remove(first);
    return first?.item;
  }

  /** Returns all items. */
  all(): readonly T[] {
    const items: T[] = [];
    for (let link = this.#first; link !== undefined; link = link.after) items.push(link.item);
    return items;
  }
}
