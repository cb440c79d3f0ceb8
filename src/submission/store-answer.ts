import { AsyncReplyError } from "../contract/errors.js";
import { withinTime } from "../protocol/within-time.js";
import type { SubmissionContext } from "./context.js";

/** Options of {@link storeAnswer}. */
interface AnswerOptions {
  /** Added to the time limit. Milliseconds. Default: 0. */
  readonly extraMs?: number;
  /** Returns the error when the time is over. Default: {@link notInTime}. */
  readonly tooLate?: () => AsyncReplyError;
}

/**
 * Waits for a store call for at most `recordTimeoutMs`, so no request hangs.
 *
 * Throws `STORE_UNAVAILABLE`.
 */
export function storeAnswer<T>(
  { settings, runtime }: Pick<SubmissionContext, "settings" | "runtime">,
  call: Promise<T>,
  { extraMs = 0, tooLate = notInTime }: AnswerOptions = {},
): Promise<T> {
  return withinTime(call, settings.recordTimeoutMs + extraMs, runtime.clock, tooLate);
}

/** Returns the error for a store call that exceeded its time limit. */
export function notInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time.");
}
