import { AsyncReplyError } from "../contract/errors.js";
import { withinTime } from "../protocol/within-time.js";
import type { SubmissionContext } from "./context.js";

/**
 * Waits for a store no longer than for recording, so that no request hangs on it.
 *
 * @throws AsyncReplyError `STORE_UNAVAILABLE`
 */
export function storeAnswer<T>(
  { settings, runtime }: Pick<SubmissionContext, "settings" | "runtime">,
  call: Promise<T>,
  extraMs = 0,
): Promise<T> {
  return withinTime(call, settings.recordTimeoutMs + extraMs, runtime.clock, notInTime);
}

/** The error for a store that did not answer within its time. */
export function notInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time.");
}
