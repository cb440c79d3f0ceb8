import { type AttemptError, addAttemptError } from "../../contract/attempt-errors.js";
import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import {
  type JsonText,
  type Operation,
  readAttemptToken,
  type Settlement,
} from "../../contract/operation.js";
import { operationError, type ProblemName, problem } from "../../contract/problem.js";
import type { SettleResult } from "../../ports/operation-store.js";
import type { ProcessorSettings } from "../settings.js";
import { describeError } from "./describe-error.js";

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

/**
 * Wraps an AsyncReplyError that this attempt did not cause, so that it counts as an ordinary failure. Such an error
 * can arrive through a promise that several attempts share. Users throw only `permanentFailure` and `retryLater`
 * themselves.
 */
export function ofProcessor(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.code === "PERMANENT_FAILURE" || error.code === "RETRY_LATER")
    return error;
  const detail = `The processor threw ${error.code}, which this attempt did not cause.`;
  return new AsyncReplyError("INTERNAL", detail, { cause: error });
}

/** Failures that another attempt would not fix, and the part of them that the client may see. */
const PERMANENT: Partial<
  Record<ErrorCode, { readonly problem: ProblemName; readonly lead: string; readonly hidden?: true }>
> = {
  PERMANENT_FAILURE: { problem: "work-failed", lead: "" },
  INPUT_REFUSED: { problem: "input-refused", lead: "The contract has changed since this was submitted: " },
  OUTPUT_TOO_LARGE: { problem: "output-too-large", lead: "" },
  INVALID_RESULT: { problem: "invalid-result", lead: "The result of the work cannot be stored: " },
  NO_TRANSACTIONS: { problem: "work-failed", lead: "This service cannot do the work.", hidden: true },
};

/** State of an attempt when it ends. */
export interface EndedAttempt {
  /** The operation as it was when the attempt began. */
  readonly operation: Operation;
  /** Token of its lease. */
  readonly token: string;
  /** Number of attempts since the last checkpoint, with this one. Without checkpoints, the number of the attempt. */
  readonly tries: number;
  /** Time of the end. Epoch milliseconds. */
  readonly now: number;
  /** Whether the processor had started. */
  readonly started: boolean;
}

/** Returns the ending that an error means for an operation. */
export function endingOf(
  error: unknown,
  { operation, token, tries, now, started }: EndedAttempt,
  settings: ProcessorSettings,
): Ending {
  const {
    code,
    detail: reason,
    context,
  } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code === "LEASE_LOST") return { error };
  if (code === "WORKER_STOPPED")
    return { settlement: { to: "retry", delayMs: 0, countAttempt: false, started }, error };
  if (code === "RETRY_LATER" && context?.countAttempt === false) {
    const delayMs = Math.max(context.retryAfterMs ?? 0, MIN_POSTPONED_MS);
    return { settlement: { to: "retry", delayMs, countAttempt: false }, error };
  }
  const attempt = { attempt: operation.attempt, ...readAttemptToken(token), at: now };
  const waiting = code === "INPUT_REFUSED" ? waitForNewerWorker(operation.lastError, attempt) : undefined;
  if (waiting !== undefined) return { settlement: waiting, error };
  const detail = describeError(error, settings.errors);
  const lastError = addAttemptError(operation.lastError, {
    ...problem("work-failed", { detail }),
    ...attempt,
  });
  const failure = code === undefined ? undefined : PERMANENT[code];
  if (failure !== undefined) {
    const text = `${failure.lead}${failure.hidden ? "" : reason}`;
    return { settlement: { to: "failed", error: operationError(failure.problem, text), lastError }, error };
  }
  if (tries >= settings.maxAttempts)
    return { settlement: { ...exhausted(settings).settlement, lastError }, error };
  const delayMs = context?.retryAfterMs ?? settings.backoff(tries);
  return { settlement: { to: "retry", delayMs, countAttempt: true, lastError }, error };
}

/** Shortest delay after an attempt that does not count. Without it, an operation could run in a loop forever. */
const MIN_POSTPONED_MS = 1_000;

const FIRST_WAIT_MS = 30_000;
/** Waits of 30 s, 1, 2 and 4 min: 7.5 minutes in total. */
const MAX_REFUSALS = 4;

/**
 * Returns the settlement for an attempt whose input this worker's schema refuses. During a deployment a newer worker
 * may accept the input, so the operation waits and the attempt does not count. Returns undefined once it has waited
 * long enough.
 */
function waitForNewerWorker(
  lastError: JsonText | undefined,
  attempt: Omit<AttemptError, "detail">,
): Settlement | undefined {
  const refusals = refusalsIn(lastError);
  if (refusals >= MAX_REFUSALS) return undefined;
  const detail = "The schema of a worker refused the stored input. Another worker may accept it.";
  const failure = { ...problem("input-refused", { detail }), refusals: refusals + 1, ...attempt };
  return {
    to: "retry",
    delayMs: FIRST_WAIT_MS * 2 ** refusals,
    countAttempt: false,
    started: false,
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
