import { Line, Lines, type Waiting } from "./collections/line.js";

/** Time after which an expired operation that was not removed is handed out again. Milliseconds. */
const HANDED_OUT_AGAIN_MS = 60_000;

/**
 * Tracks ended operations until they are deleted. An operation waits in one line, or in none while its successor exists.
 */
export class Retention<T extends Waiting<T>> {
  readonly #ended = new Lines<T>();
  readonly #handedOut = new Line<T>();
  readonly #leaving = new Lines<T>();

  /** Lets the item expire after `retentionMs`. */
  ended(item: T, now: number, retentionMs: number): void {
    this.#ended.join(item, now, retentionMs);
  }

  /** Takes expired items, and items that were taken a minute ago and still exist. */
  takeExpired(now: number, limit: number): T[] {
    const again = this.#handedOut.take(now, HANDED_OUT_AGAIN_MS, limit);
    return again.concat(this.#ended.take(now, limit - again.length));
  }

  handedOut(item: T, now: number): void {
    this.#handedOut.join(item, now);
  }

  leave(item: T, now: number, afterMs: number): void {
    this.#leaving.join(item, now, afterMs);
  }

  /** Takes items whose `afterMs` has passed. */
  takeLeaving(now: number): T[] {
    return this.#leaving.take(now, Number.POSITIVE_INFINITY);
  }

  /** Lets an item expire at a time. */
  expire(item: T, now: number, at: number): void {
    this.#ended.join(item, now, at - now);
  }

  /** Lets an item neither expire nor leave. */
  keep(item: T): void {
    item.chain?.remove(item);
  }
}
