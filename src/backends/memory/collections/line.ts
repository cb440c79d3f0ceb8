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
