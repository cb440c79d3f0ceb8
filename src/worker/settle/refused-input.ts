import { parseStored } from "../../contract/json/json-text.js";
import type { JsonText, Operation, Settlement } from "../../contract/operation.js";
import { problem } from "../../contract/problem.js";

const FIRST_WAIT_MS = 30_000;
/** 30 s, 1, 2 and 4 min: 7 and a half minutes in all. */
const MAX_REFUSALS = 4;

/**
 * Gives back an attempt whose input the schema of this worker refuses: during a deployment a newer worker may accept it. The
 * attempt does not count. Returns undefined once the operation has waited long enough.
 */
export function waitForNewerWorker({ lastError }: Operation): Settlement | undefined {
  const refusals = refusalsIn(lastError);
  if (refusals >= MAX_REFUSALS) return undefined;
  const detail = "The schema of a worker refused the stored input. A newer worker may accept it.";
  return {
    to: "retry",
    delayMs: FIRST_WAIT_MS * 2 ** refusals,
    countAttempt: false,
    lastError: JSON.stringify({ ...problem("input-refused", { detail }), refusals: refusals + 1 }),
  };
}

/** The `lastError` counts the refusals in a row. Any other error in between replaces it. */
function refusalsIn(lastError: JsonText | undefined): number {
  const { refusals } = (lastError === undefined ? {} : parseStored(lastError)) as {
    readonly refusals?: unknown;
  };
  return typeof refusals === "number" ? refusals : 0;
}
