import type { Clock } from "../../../ports/runtime.js";

/** Shortest and longest time between two moments. Milliseconds. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 40;

/**
 * Moments at which the attempts of a worker store their chunks, so that all of them share a call of the store. After a longer
 * pause, the first one comes at once. A moment with more attempts is followed by a longer pause, a millisecond for each: the fewer
 * calls a busy worker makes, the less each chunk costs there, in the store, and where it is read.
 */
export class FlushBeat {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #isScheduled = false;
  /** Time of the next moment. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes this moment, if it is one. Returns whether it was. */
  takeNow(): boolean {
    const now = this.#clock.elapsed();
    if (this.#isScheduled || now < this.#nextAt) return false;
    this.#nextAt = now + MIN_PAUSE_MS;
    return true;
  }

  /** Calls a function at the next moment. Returns a function that prevents this. */
  join(flush: () => void): () => void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#clock.schedule(Math.max(0, this.#nextAt - this.#clock.elapsed()), this.#flushAll);
    }
    this.#waiting.add(flush);
    return () => void this.#waiting.delete(flush);
  }

  readonly #flushAll = (): void => {
    this.#isScheduled = false;
    if (this.#waiting.size === 0) return;
    const flushes = [...this.#waiting];
    this.#nextAt = this.#clock.elapsed() + Math.min(Math.max(flushes.length, MIN_PAUSE_MS), MAX_PAUSE_MS);
    this.#waiting.clear();
    for (const flush of flushes) flush();
  };
}
