import { Line, type Waiting } from "./line.js";

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
