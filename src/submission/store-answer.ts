import { AsyncReplyError } from "../contract/errors.js";
import { withinTime } from "../protocol/within-time.js";
import type { SubmissionContext } from "./context.js";

/**
 * Waits for a store call for at most `recordTimeoutMs`, so no request hangs.
 *
 * Throws `STORE_UNAVAILABLE`.
 *
 * @param extraMs added to the time limit. Milliseconds. Default: 0.
 */
export function storeAnswer<T>(
  { settings, runtime }: Pick<SubmissionContext, "settings" | "runtime">,
  call: Promise<T>,
  extraMs = 0,
): Promise<T> {
  return withinTime(call, settings.recordTimeoutMs + extraMs, runtime.clock, notInTime);
}

/** Returns the error for a store call that exceeded its time limit. */
export function notInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time.");
}
