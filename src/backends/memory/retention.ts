import { Line, Lines, type Waiting } from "./collections/line.js";

/** Time after which an expired operation that was not removed is handed out again. Milliseconds. */
const HANDED_OUT_AGAIN_MS = 60_000;

/**
 * Tracks ended operations until they are deleted. An operation waits in one line, or in none after it was taken while it was kept
 * for its successor.
 */
export class Retention<T extends Waiting<T>> {
  readonly #ended = new Lines<T>();
  readonly #handedOut = new Line<T>();
  readonly #leaving = new Lines<T>();

  /** Lets the item expire after `retentionMs`. */
  ended(item: T, now: number, retentionMs: number): void {
    this.#ended.join(item, now, retentionMs);
  }

  /** Takes expired items that are not kept, and items that were taken a minute ago and still exist. */
  takeExpired(now: number, limit: number, isKept: (item: T) => boolean): T[] {
    const taken: T[] = [];
    for (let more = true; more && taken.length < limit; ) {
      const wanted = limit - taken.length;
      const again = this.#handedOut.take(now, HANDED_OUT_AGAIN_MS, wanted);
      const found = again.concat(this.#ended.take(now, wanted - again.length));
      taken.push(...found.filter((item) => !isKept(item)));
      more = found.length === wanted;
    }
    return taken;
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

  /** Lets an item that is no longer kept expire: now, or at `keptUntil` if that is later. */
  expire(item: T, now: number, keptUntil: number): void {
    // Until then, it waits where it has waited since its end.
    if (item.chain === undefined || keptUntil <= now) this.#ended.join(item, now, 0);
  }
}
