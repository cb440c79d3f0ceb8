import type { Clock } from "../ports/runtime.js";
import { Links } from "./links.js";

/**
 * A flag that is raised once, with any number of listeners. An AbortSignal would work too, but platforms warn of a
 * leak at more than ten listeners, and a worker has one listener per operation that waits for a retry.
 */
export class Latch {
  readonly #listeners = new Links<() => void>();
  #raised = false;

  get raised(): boolean {
    return this.#raised;
  }

  raise(): void {
    if (this.#raised) return;
    this.#raised = true;
    for (let listener = this.#listeners.shift(); listener !== undefined; listener = this.#listeners.shift())
      listener();
  }

  /**
   * Calls the listener when the flag is raised, or at once if it already is. Returns a function that removes the
   * listener.
   */
  onRaise(listener: () => void): () => void {
    if (this.#raised) {
      listener();
      return () => {};
    }
    const link = this.#listeners.add(listener);
    return () => this.#listeners.remove(link);
  }
}

/** Resolves after `ms` milliseconds, or as soon as the latch is raised. */
export function sleep(ms: number, clock: Clock, latch: Latch): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.schedule(ms, () => {
      cancelRaise();
      resolve();
    });
    const cancelRaise = latch.onRaise(() => {
      cancelTimer();
      resolve();
    });
  });
}
