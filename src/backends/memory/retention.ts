import { HANDED_OUT_AGAIN_MS } from "../../engine/entry.js";
import { Line, Lines, type Waiting } from "./collections/line.js";

/**
 * Tracks ended operations until they are deleted. An operation waits in one line, or in no line after it was taken
 * because its successor exists.
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

  /** Lets an item whose successor no longer exists expire: now, or at `keptUntil` if that is later. */
  letGo(item: T, now: number, keptUntil: number): void {
    // Until then, it waits where it has waited since its end.
    if (item.chain === undefined || keptUntil <= now) this.#ended.join(item, now, 0);
  }
}
