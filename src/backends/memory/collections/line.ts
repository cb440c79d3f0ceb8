import { Chain, type Linked } from "./chain.js";

/** An item of a {@link Line}. */
export interface Waiting<T> extends Linked<T> {
  /** When the item joined, in epoch milliseconds. */
  since: number;
}

/** Items in the order in which they joined, so only the first needs to be looked at. */
export class Line<T extends Waiting<T>> extends Chain<T> {
  /** Moves an item to the end of this line, out of the chain that held it. */
  join(item: T, now: number): void {
    this.correct(now);
    item.since = now;
    this.append(item);
  }

  /** Removes and returns items that joined at least `waitMs` ago, the first first, at most `limit`. */
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

  /** A clock that was set back must not keep items for as long as it was ahead: they count as if they had joined now. */
  correct(now: number): void {
    for (let item = this.last; item !== undefined && item.since > now; item = item.before) item.since = now;
  }
}
