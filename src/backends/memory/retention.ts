import { Line, type Waiting } from "./collections/line.js";
import { Lines } from "./collections/lines.js";

const HANDED_OUT_AGAIN_MS = 60_000;

/** Follows ended operations until they are deleted. Each of them is in one line, or in none while its successor lives. */
export class Retention<T extends Waiting<T>> {
  readonly #ended = new Lines<T>();
  readonly #handedOut = new Line<T>();
  readonly #leaving = new Lines<T>();

  /** Hands the item out after `retentionMs`. */
  ended(item: T, now: number, retentionMs: number): void {
    this.#ended.join(item, now, retentionMs);
  }

  /** Takes items whose retention has passed, or that were handed out a minute ago and are still here. */
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

  /** Keeps the item until it is let go. */
  hold(item: T): void {
    item.chain?.remove(item);
  }

  /** Hands out next an item that was held: its successor has outlived it. */
  letGo(item: T, now: number): void {
    this.#ended.join(item, now, 0);
  }
}
