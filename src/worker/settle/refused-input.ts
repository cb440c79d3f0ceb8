import { addAttemptError } from "../../contract/attempt-errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import type { JsonText, Operation, Settlement } from "../../contract/operation.js";
import { problem } from "../../contract/problem.js";

const FIRST_WAIT_MS = 30_000;
/** Waits of 30 s, 1, 2 and 4 min: 7.5 minutes in total. */
const MAX_REFUSALS = 4;

/**
 * Returns the settlement for an attempt whose input this worker's schema refuses. During a deployment a newer worker
 * may accept the input, so the operation waits and the attempt does not count. Returns undefined once it has waited
 * long enough.
 *
 * @param at Now. Epoch milliseconds.
 */
export function waitForNewerWorker({ lastError, attempt }: Operation, at: number): Settlement | undefined {
  const refusals = refusalsIn(lastError);
  if (refusals >= MAX_REFUSALS) return undefined;
  const detail = "The schema of a worker refused the stored input. Another worker may accept it.";
  const failure = { ...problem("input-refused", { detail }), refusals: refusals + 1, attempt, at };
  return {
    to: "retry",
    delayMs: FIRST_WAIT_MS * 2 ** refusals,
    countAttempt: false,
    lastError: addAttemptError(lastError, failure),
  };
}

/** Returns the number of consecutive refusals. `lastError` holds it, and any other error replaces it. */
function refusalsIn(lastError: JsonText | undefined): number {
  const { refusals } = (lastError === undefined ? {} : parseStored(lastError)) as {
    readonly refusals?: unknown;
  };
  return typeof refusals === "number" ? refusals : 0;
}
