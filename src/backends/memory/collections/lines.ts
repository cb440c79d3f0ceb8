import { Line, type Waiting } from "./line.js";

/** Items that wait, each for a duration of its own. One line for each duration, and none for a duration that no item has. */
export class Lines<T extends Waiting<T>> {
  readonly #lines = new Map<number, Line<T>>();

  /** Lets an item wait from now on, out of the chain that held it. */
  join(item: T, now: number, waitMs: number): void {
    // First, because a line that becomes empty is dropped.
    item.chain?.remove(item);
    const line = this.#lines.get(waitMs) ?? this.#addLine(waitMs);
    line.join(item, now);
  }

  /** Removes and returns items that have waited long enough, the longest overdue first, at most `limit`. */
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
