import type { Clock } from "../../ports/runtime.js";

/** Options of {@link createPace}. */
export interface PaceOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** Ends every wait. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns a function that resolves at most `perSecond` times per second. The first call resolves at once. */
export function createPace({ clock, perSecond, signal }: PaceOptions): () => Promise<void> {
  const intervalMs = 1_000 / perSecond;
  let last = Number.NEGATIVE_INFINITY;
  return async () => {
    // If the clock is set back, this must not wait longer.
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
