import type { Clock } from "../../../ports/runtime.js";

/** The attempts of a worker store chunks at most this often. Milliseconds. */
const PAUSE_MS = 10;

/**
 * Moments at which the attempts of a worker store their chunks, so that all of them share a call of the store. After a longer
 * pause, the first one comes at once.
 */
export class FlushBeat {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #isScheduled = false;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes this moment, if it is one. Returns whether it was. */
  takeNow(): boolean {
    const now = this.#clock.elapsed();
    if (this.#isScheduled || now < this.#lastAt + PAUSE_MS) return false;
    this.#lastAt = now;
    return true;
  }

  /** Calls a function at the next moment. Returns a function that prevents this. */
  join(flush: () => void): () => void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      const waitMs = this.#lastAt + PAUSE_MS - this.#clock.elapsed();
      this.#clock.schedule(Math.max(0, waitMs), this.#flushAll);
    }
    this.#waiting.add(flush);
    return () => void this.#waiting.delete(flush);
  }

  readonly #flushAll = (): void => {
    this.#isScheduled = false;
    if (this.#waiting.size === 0) return;
    this.#lastAt = this.#clock.elapsed();
    const flushes = [...this.#waiting];
    this.#waiting.clear();
    for (const flush of flushes) flush();
  };
}
