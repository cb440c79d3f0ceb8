import type { Clock } from "../ports/runtime.js";

/**
 * A flag that is raised once, with any number of listeners. An AbortSignal would do, but platforms take more than ten
 * listeners on one for a leak, and a worker has one for each attempt.
 */
export class Latch {
  readonly #listeners = new Set<() => void>();
  #raised = false;

  get raised(): boolean {
    return this.#raised;
  }

  raise(): void {
    if (this.#raised) return;
    this.#raised = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls the listener when the flag is raised, at once if it is. The returned function takes that back. */
  onRaise(listener: () => void): () => void {
    if (this.#raised) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Resolves after `ms`, or as soon as the latch is raised. */
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
