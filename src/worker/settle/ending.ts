import { type AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../../contract/errors.js";
import type { Operation, Settlement } from "../../contract/operation.js";
import { operationError, type ProblemName } from "../../contract/problem.js";
import type { SettleResult } from "../../ports/operation-store.js";
import type { ProcessorSettings } from "../settings.js";
import { lastErrorOf } from "./last-error.js";
import { waitForNewerWorker } from "./refused-input.js";

/** How an attempt ended. There is no settlement if another attempt holds the lease. */
export interface Ending {
  readonly settlement?: Settlement;
  readonly error?: unknown;
  /** The store's answer, if the attempt is already settled. */
  readonly settled?: SettleResult;
}

/** Returns the ending of an operation that has used up its attempts. */
export function exhausted({ maxAttempts }: Pick<ProcessorSettings, "maxAttempts">): FailedEnding {
  const detail = `The work did not succeed in ${maxAttempts} attempts.`;
  return { settlement: { to: "failed", error: operationError("attempts-exhausted", detail) } };
}

interface FailedEnding {
  readonly settlement: Extract<Settlement, { to: "failed" }>;
}

/** Failures that another attempt would not fix, and the part of them that the client may see. */
const PERMANENT: Partial<
  Record<ErrorCode, { readonly problem: ProblemName; readonly lead: string; readonly hidden?: true }>
> = {
  PERMANENT_FAILURE: { problem: "work-failed", lead: "" },
  INPUT_REFUSED: { problem: "input-refused", lead: "The contract has changed since this was submitted: " },
  INVALID_RESULT: { problem: "invalid-result", lead: "The result of the work cannot be stored: " },
  NO_TRANSACTIONS: { problem: "work-failed", lead: "This service cannot do the work.", hidden: true },
};

/**
 * Returns the ending that an error means for an operation, as the operation was when the attempt began.
 *
 * @param now Epoch milliseconds.
 */
export function endingOf(
  error: unknown,
  operation: Operation,
  settings: ProcessorSettings,
  now: number,
): Ending {
  const { code, detail, context } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code === "LEASE_LOST") return { error };
  if (code === "WORKER_STOPPED")
    return { settlement: { to: "retry", delayMs: 0, countAttempt: false }, error };
  if (code === "RETRY_LATER" && context?.countAttempt === false) {
    const delayMs = Math.max(context.retryAfterMs ?? 0, MIN_RELEASE_MS);
    return { settlement: { to: "retry", delayMs, countAttempt: false }, error };
  }
  const waiting = code === "INPUT_REFUSED" ? waitForNewerWorker(operation, now) : undefined;
  if (waiting !== undefined) return { settlement: waiting, error };
  const lastError = lastErrorOf(error, operation, now);
  const failure = code === undefined ? undefined : PERMANENT[code];
  if (failure !== undefined) {
    const text = `${failure.lead}${failure.hidden ? "" : detail}`.slice(0, MAX_DETAIL_LENGTH);
    return { settlement: { to: "failed", error: operationError(failure.problem, text), lastError }, error };
  }
  if (operation.attempt >= settings.maxAttempts)
    return { settlement: { ...exhausted(settings).settlement, lastError }, error };
  const delayMs = context?.retryAfterMs ?? settings.backoffMs(operation.attempt);
  return { settlement: { to: "retry", delayMs, countAttempt: true, lastError }, error };
}

/** Shortest delay after an attempt that does not count. Without it, an operation could run in a loop forever. */
const MIN_RELEASE_MS = 1_000;

/** Keeps the `error` of an operation below 64 KiB in any encoding. */
const MAX_DETAIL_LENGTH = 10_000;
