import type { Clock } from "../../ports/runtime.js";

/** How often something may happen. */
export interface PaceOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** Ends every wait. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns a function that resolves `perSecond` times a second at most, at once the first time. */
export function createPace({ clock, perSecond, signal }: PaceOptions): () => Promise<void> {
  const intervalMs = 1_000 / perSecond;
  let last = Number.NEGATIVE_INFINITY;
  return async () => {
    // A clock that was set back must not make this wait longer.
    const waitMs = Math.min(last + intervalMs - clock.now(), intervalMs);
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    last = clock.now();
  };
}

function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(ms, end);
    function end(): void {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end);
  });
}
