import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import { withinTime } from "../protocol/within-time.js";
import type { Latch } from "./latch.js";

/** Dependencies of {@link checkAtStart}. */
export interface StartCheck {
  readonly backend: Pick<Backend, "check">;
  readonly clock: Clock;
  readonly observe: Observer;
  /** Ends the wait for the check. */
  readonly draining: Latch;
}

/** Applies to a back end without its own, shorter limit. */
const TIMEOUT_MS = 30_000;

/**
 * Checks the back end before a worker starts. If the store cannot be reached, reports it to the observer and returns: the
 * worker starts and keeps trying.
 *
 * Throws `INVALID_OPTION` if the back end is misconfigured.
 */
export async function checkAtStart({ backend, clock, observe, draining }: StartCheck): Promise<void> {
  const stopped = new Promise<void>((resolve) => void draining.onRaise(resolve));
  try {
    await withinTime(Promise.race([stopped, check(backend)]), TIMEOUT_MS, clock, notInTime);
  } catch (error) {
    if (draining.raised) return;
    if (isAsyncReplyError(error) && error.code === "INVALID_OPTION") throw error;
    observe({ event: "background.failed", step: "check", error });
  }
}

/** Rejects if `check` throws or does not exist. */
async function check(backend: StartCheck["backend"]): Promise<void> {
  await backend.check();
}

function notInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The check of the back end did not settle in time.");
}
