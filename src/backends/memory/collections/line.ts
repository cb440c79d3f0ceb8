import { Chain, type Linked } from "./chain.js";

/** Item of a {@link Line}. */
export interface Waiting<T> extends Linked<T> {
  /** Time when the item joined. Epoch milliseconds. */
  since: number;
}

/** Items in the order in which they joined. Only the first item has to be checked. */
export class Line<T extends Waiting<T>> extends Chain<T> {
  /** Moves an item to the end of this line, out of its previous chain. */
  join(item: T, now: number): void {
    this.correct(now);
    item.since = now;
    this.append(item);
  }

  /** Removes and returns up to `limit` items that joined at least `waitMs` ago, in order. */
  take(now: number, waitMs: number, limit: number): T[] {
    this.correct(now);
    const taken: T[] = [];
    for (let { first } = this; first !== undefined && taken.length < limit; first = this.first) {
      if (first.since > now - waitMs) break;
      this.remove(first);
      taken.push(first);
    }
    return taken;
  }

  /**
   * Lets items from the future count as if they had joined now. Otherwise, a clock that was set back would keep them
   * too long.
   */
  correct(now: number): void {
    for (let item = this.last; item !== undefined && item.since > now; item = item.before) item.since = now;
  }
}

/** Items that wait for different durations. There is one line for each duration in use. */
export class Lines<T extends Waiting<T>> {
  readonly #lines = new Map<number, Line<T>>();

  /** Moves an item out of its previous chain and lets it wait from now on. */
  join(item: T, now: number, waitMs: number): void {
    // This comes first, because a line that becomes empty is dropped.
    item.chain?.remove(item);
    const line = this.#lines.get(waitMs) ?? this.#addLine(waitMs);
    line.join(item, now);
  }

  /** Removes and returns up to `limit` items that have waited long enough, starting with the longest overdue. */
  take(now: number, limit: number): T[] {
    for (const line of this.#lines.values()) line.correct(now);
    const taken: T[] = [];
    while (taken.length < limit) {
      const item = this.#longestOverdue(now);
      if (item === undefined) break;
      item.chain?.remove(item);
      taken.push(item);
    }
    return taken;
  }

  #longestOverdue(now: number): T | undefined {
    let found: T | undefined;
    let earliest = now;
    for (const [waitMs, { first }] of this.#lines) {
      if (first === undefined || first.since + waitMs > earliest) continue;
      earliest = first.since + waitMs;
      found = first;
    }
    return found;
  }

  #addLine(waitMs: number): Line<T> {
    const line = new Line<T>(() => this.#lines.delete(waitMs));
    this.#lines.set(waitMs, line);
    return line;
  }
}
