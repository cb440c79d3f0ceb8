import { isRefused } from "../../protocol/refused-ending.js";
import { reportError, type WorkerContext } from "../context.js";
import { sleep } from "../latch.js";

/** Delays after calls that the store did not answer. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/**
 * Repeats a call of the store while it is unavailable, so that finished work is not done again. Resolves to undefined if the
 * worker had to stop first.
 *
 * Throws the error of a store that refuses the data.
 */
export async function untilAnswered<Answer>(
  context: WorkerContext,
  step: string,
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const { runtime, stopping } = context;
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
    try {
      return await call();
    } catch (error) {
      reportError(context, step, error);
      if (isRefused(error)) throw error;
      if (stopping.raised) return undefined;
      await sleep(delayMs, runtime.clock, stopping);
    }
  }
}
