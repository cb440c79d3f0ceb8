import { AsyncReplyError } from "../contract/errors.js";
import { onAbort } from "../platform/waits.js";
import type { Clock } from "../ports/runtime.js";

/** Time limit of a step of a delivery. */
export interface StepLimit {
  /** Aborted when the delivery must stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly ms: number;
  /** Says what did not happen in time. */
  readonly detail: string;
}

/**
 * Calls `work` with a signal that is aborted when its time is up, or when the delivery must stop. `reached` ends the
 * time limit before the work has ended.
 *
 * Throws `ATTEMPT_TIMEOUT`.
 */
export async function inTime<T>(
  { signal, clock, ms, detail }: StepLimit,
  work: (signal: AbortSignal, reached: () => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const stopping = new AbortController();
  const forget = onAbort(signal, () => stopping.abort(signal.reason));
  let cancelTimer = (): void => {};
  const timeIsUp = new Promise<never>((_, reject) => {
    cancelTimer = clock.schedule(ms, () => {
      const error = new AsyncReplyError("ATTEMPT_TIMEOUT", detail);
      // First, because the work may fail at once with what its signal says.
      reject(error);
      stopping.abort(error);
    });
  });
  try {
    return await Promise.race([work(stopping.signal, cancelTimer), timeIsUp]);
  } finally {
    cancelTimer();
    forget();
  }
}
