import type { Problem, Violation } from "./problem.js";
import { MAX_TIMER_MS } from "./timers.js";

/**
 * Codes of {@link AsyncReplyError}. They are public: removing one is a major change. A single table in `src/http` maps
 * them to HTTP statuses.
 */
export type ErrorCode =
  | "INVALID_OPTION"
  | "INVALID_HEADER"
  | "INVALID_QUERY"
  | "TOO_MANY_HEADER_FIELDS"
  | "INVALID_IDEMPOTENCY_KEY"
  | "MISSING_IDEMPOTENCY_KEY"
  | "IDEMPOTENCY_KEY_REUSED"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "AUTHORIZATION_UNAVAILABLE"
  | "NOT_CONFIGURED"
  | "TOO_MANY_REQUESTS"
  | "TOO_MANY_PENDING"
  | "BACKLOG_FULL"
  | "NOT_FOUND"
  | "OUTPUT_DISCARDED"
  | "METHOD_NOT_ALLOWED"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "UNSUPPORTED_CONTENT_CODING"
  | "NOT_ACCEPTABLE"
  | "BODY_TOO_LARGE"
  | "BODY_TIMEOUT"
  | "BODY_ABORTED"
  | "BODY_ALREADY_READ"
  | "MALFORMED_BODY"
  | "CONTRACT_VIOLATION"
  | "SUBMISSION_IN_PROGRESS"
  | "CREATION_IN_PROGRESS"
  | "CREATION_FAILED"
  | "SUBMISSION_UNCERTAIN"
  | "SERVICE_CLOSED"
  | "STORE_UNAVAILABLE"
  | "QUEUE_UNAVAILABLE"
  | "OVERLOADED"
  | "CORRUPT_RECORD"
  | "PERMANENT_FAILURE"
  | "RETRY_LATER"
  | "NO_TRANSACTIONS"
  | "NOT_SUPPORTED"
  | "TRANSACTION_USED"
  | "TRANSACTION_NOT_AWAITED"
  | "INPUT_REFUSED"
  | "INVALID_RESULT"
  | "OUTPUT_TOO_LARGE"
  | "OPERATION_FAILED"
  | "OPERATION_CANCELLED"
  | "REQUEST_REFUSED"
  | "SERVICE_UNAVAILABLE"
  | "LEASE_LOST"
  | "CANCELLED"
  | "ATTEMPT_TIMEOUT"
  | "WORKER_STOPPED"
  | "INTERNAL";

/** Additional data of an error. */
export interface ErrorContext {
  /** Underlying error. For the observer; never sent to a client. */
  readonly cause?: unknown;
  /** Replaces `detail` in the message, which appears in events and logs. Never sent to a client. */
  readonly eventDetail?: string;
  /** Header fields of the reply to this error, in lower case (RFC 9110). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Violations of the contract, if that is the error. */
  readonly violations?: readonly Violation[];
  /** Problem of the operation, for `OPERATION_FAILED` and `OPERATION_CANCELLED`, or of the reply that a client got. */
  readonly problem?: Problem;
  /** Time after which the client should repeat the request. Whole seconds. */
  readonly retryAfterSeconds?: number;
  /** Time until the next attempt, for `RETRY_LATER`. Milliseconds. */
  readonly retryAfterMs?: number;
  /** Set if the attempt does not count, for `RETRY_LATER`. Then the time is at least 1 s. Default: it counts. */
  readonly countAttempt?: false;
  /**
   * Set by a store that is certain that the call changed nothing, for example because it never connected. Default:
   * absent, so the call may have taken effect.
   */
  readonly recorded?: "no";
}

const MARK = Symbol.for("async-request-reply.error");

/**
 * The only error class of the package. Programs compare `code`; people read `detail`. The detail is written for
 * clients and contains no internals, which belong in `cause`.
 */
export class AsyncReplyError extends Error {
  /** Stable code for programs to compare. */
  declare readonly code: ErrorCode;
  /** Explanation that a client may read. */
  declare readonly detail: string;
  /** Additional data for replies and observers. */
  declare readonly context: ErrorContext;

  /**
   * Creates an error with the message `code: detail`, or `code: eventDetail` if that is set. A `cause` in the context
   * becomes the `cause` of the error.
   */
  constructor(code: ErrorCode, detail: string, context: ErrorContext = {}) {
    super(`${code}: ${context.eventDetail ?? detail}`, context);
    this.name = "AsyncReplyError";
    // The mark is the error itself, so a Proxy around the error is not recognized. Its traps may throw when `code` is
    // read.
    Object.defineProperty(this, MARK, { value: this });
    this.code = code;
    this.detail = detail;
    this.context = context;
  }
}

/**
 * Returns whether a value is an {@link AsyncReplyError}. Also recognizes an error from the copy of this package in the
 * other module format, for which `instanceof` is false. Never throws. Never recognizes a `Proxy`.
 */
export function isAsyncReplyError(error: unknown): error is AsyncReplyError {
  // Reading a member of `undefined` would throw, which takes a third of an attempt.
  if (typeof error !== "object" || error === null) return false;
  try {
    return (error as { readonly [MARK]?: unknown })[MARK] === error;
  } catch {
    // A proxy that throws.
    return false;
  }
}

/** Returns a copy of the error that says that the call changed nothing. */
export function notRecorded({ code, detail, context }: AsyncReplyError): AsyncReplyError {
  return new AsyncReplyError(code, detail, { ...context, recorded: "no" });
}

/** Returns the error without the mark of {@link notRecorded}. For a call of which other parts may have taken effect. */
export function maybeRecorded(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.context.recorded === undefined) return error;
  const { recorded: _, ...context } = error.context;
  return new AsyncReplyError(error.code, error.detail, context);
}

/** Returns an error that quotes a problem, which is in its context. */
export function quoting(problem: Problem, code: ErrorCode): AsyncReplyError {
  return new AsyncReplyError(code, problem.detail ?? problem.title, { problem });
}

/** Returns the error for the result of an operation that has none: `OPERATION_CANCELLED` or `OPERATION_FAILED`. */
export function operationFailed(problem: Problem): AsyncReplyError {
  return quoting(problem, problem.name === "cancelled" ? "OPERATION_CANCELLED" : "OPERATION_FAILED");
}

/** Returns any value as text, even if its conversion throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "an unreadable value";
  }
}

/** Returns an error for `authorize` to throw if the caller is unknown. The reply is 401 with a challenge. */
export function unauthenticated(detail = "Valid credentials are required."): AsyncReplyError {
  return new AsyncReplyError("UNAUTHENTICATED", detail);
}

/** Returns an error for `authorize` to throw if the caller is known but not allowed to do this. The reply is 403. */
export function forbidden(detail = "These credentials do not allow this."): AsyncReplyError {
  return new AsyncReplyError("FORBIDDEN", detail);
}

/**
 * Returns an error that fails the work at once, without a retry. A processor or the `create` function of a service
 * throws it. Clients read `reason` in the `error` of the operation, so it must not contain internals.
 *
 * Throws `INVALID_OPTION` if `reason` is not a text.
 */
export function permanentFailure(reason: string, cause?: unknown): AsyncReplyError {
  if (typeof reason !== "string") {
    const detail =
      `The \`reason\` of permanentFailure must be a text that clients may read, not of type ${typeof reason}. ` +
      'Pass an error as its cause: `permanentFailure("Sold out.", error)`.';
    throw new AsyncReplyError("INVALID_OPTION", detail);
  }
  return new AsyncReplyError("PERMANENT_FAILURE", reason, cause === undefined ? {} : { cause });
}

/**
 * Returns an error that retries the work after a given time instead of the backoff. A processor throws it, for example
 * because another service asked to wait. The attempt counts.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param options.afterMs Time until the next attempt. Milliseconds, from 0 to 24.8 days.
 * @param options.cause Reason, for the observer.
 */
export function retryLater(options: { readonly afterMs: number; readonly cause?: unknown }): AsyncReplyError {
  const { afterMs, cause } = (options ?? {}) as Partial<typeof options>;
  if (afterMs === undefined || !Number.isSafeInteger(afterMs) || afterMs < 0 || afterMs > MAX_TIMER_MS) {
    const detail = `Option \`afterMs\` of retryLater is ${textOf(afterMs)}. Pass whole milliseconds from 0 to ${MAX_TIMER_MS}.`;
    throw new AsyncReplyError("INVALID_OPTION", detail);
  }
  return new AsyncReplyError("RETRY_LATER", "The work will be retried later.", {
    retryAfterMs: afterMs,
    ...(cause === undefined ? {} : { cause }),
  });
}
