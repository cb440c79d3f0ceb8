/**
 * Codes of {@link AsyncReplyError}. They are public: removing one is a major change.
 * Which HTTP status a code becomes is said in one place, `http/problems.ts`.
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
  | "TOO_MANY_REQUESTS"
  | "NOT_FOUND"
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
  | "LEASE_LOST"
  | "CANCELLED"
  | "ATTEMPT_TIMEOUT"
  | "WORKER_STOPPED"
  | "INTERNAL";

/** One violation of the contract: where (RFC 6901 pointer in URI fragment form) and what. */
export interface Violation {
  /** For example `#/quantity`; `#` is the whole body. */
  readonly pointer: string;
  /** What is wrong there, in English, for people. */
  readonly detail: string;
}

/** What an error may carry besides its sentence. */
export interface ErrorContext {
  /** What went wrong underneath. Kept for the observer, never sent to a client. */
  readonly cause?: unknown;
  /** Replaces `detail` in the message, which events and logs show. Never sent to a client. */
  readonly eventDetail?: string;
  /** Header fields that the reply to this error must have, in lower case (RFC 9110). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The violations of a `CONTRACT_VIOLATION`. */
  readonly violations?: readonly Violation[];
  /** After how many whole seconds a repeated request makes sense. */
  readonly retryAfterSeconds?: number;
  /** When an attempt is tried again, for `RETRY_LATER`. Milliseconds from now. */
  readonly retryAfterMs?: number;
  /**
   * Set by a store that is certain that the call changed nothing, such as one whose connection was never opened. Default: it
   * is not known whether the call took effect.
   */
  readonly recorded?: "no";
}

const MARK = Symbol.for("async-request-reply.error");

/**
 * The one error class of the package. `code` is for programs, `detail` for people: it is written to be
 * shown to a client and never holds internals, which belong into `cause`.
 */
export class AsyncReplyError extends Error {
  /** Stable: compare this. */
  readonly code: ErrorCode;
  /** One sentence, which a client may read. */
  readonly detail: string;
  /** What else a reply or an observer needs. */
  readonly context: ErrorContext;

  /** The message is `code: detail`, or `code: eventDetail`. A `cause` in the context is the `cause` of the error. */
  constructor(code: ErrorCode, detail: string, context: ErrorContext = {}) {
    const { cause, eventDetail = detail } = context;
    super(`${code}: ${eventDetail}`, cause === undefined ? undefined : { cause });
    this.name = "AsyncReplyError";
    // Its own value: a Proxy around this error is another object, whose traps may throw when `code` is read.
    Object.defineProperty(this, MARK, { value: this });
    this.code = code;
    this.detail = detail;
    this.context = context;
  }
}

/**
 * Recognizes an {@link AsyncReplyError}, also one thrown by the other module format's copy of this
 * package, for which `instanceof` is false. Never throws, for any value. A `Proxy` is never recognized.
 */
export function isAsyncReplyError(error: unknown): error is AsyncReplyError {
  try {
    return (error as { readonly [MARK]?: unknown })[MARK] === error;
  } catch {
    // `undefined`, `null`, and proxies that throw.
    return false;
  }
}

/** Returns the same error, marked as one of a call that changed nothing. */
export function notRecorded({ code, detail, context }: AsyncReplyError): AsyncReplyError {
  return new AsyncReplyError(code, detail, { ...context, recorded: "no" });
}

/** Returns the same error for a larger piece of work, of which other parts may have taken effect. */
export function maybeRecorded(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.context.recorded === undefined) return error;
  const { recorded: _, ...context } = error.context;
  return new AsyncReplyError(error.code, error.detail, context);
}

/** Returns the text of any value, also of one that throws when it is converted. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "an unreadable value";
  }
}

/** To be thrown by `authorize`: the caller is not known; becomes a 401 with a challenge. */
export function unauthenticated(detail = "Valid credentials are required."): AsyncReplyError {
  return new AsyncReplyError("UNAUTHENTICATED", detail);
}

/** To be thrown by `authorize`: the caller is known and may not do this; becomes a 403. */
export function forbidden(detail = "These credentials do not allow this."): AsyncReplyError {
  return new AsyncReplyError("FORBIDDEN", detail);
}

/**
 * Thrown by a processor or by a service's `create`: the work fails now and is not tried again. Clients read `reason` in the
 * `error` of the operation, so it must not hold anything internal.
 */
export function permanentFailure(reason: string, cause?: unknown): AsyncReplyError {
  return new AsyncReplyError("PERMANENT_FAILURE", reason, cause === undefined ? {} : { cause });
}

/**
 * Thrown by a processor: the work is tried again after this time instead of after the backoff, for example because another
 * service asked to wait. The attempt counts.
 *
 * @param options.afterMs milliseconds from now, 0 to 24.8 days
 * @param options.cause why, for the observer
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function retryLater(options: { readonly afterMs: number; readonly cause?: unknown }): AsyncReplyError {
  const { afterMs, cause } = options;
  if (!Number.isSafeInteger(afterMs) || afterMs < 0 || afterMs > MAX_RETRY_MS) {
    const detail = `Option \`afterMs\` of retryLater is ${textOf(afterMs)}. Pass whole milliseconds from 0 to ${MAX_RETRY_MS}.`;
    throw new AsyncReplyError("INVALID_OPTION", detail);
  }
  return new AsyncReplyError("RETRY_LATER", "The work is tried again later.", {
    retryAfterMs: afterMs,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The longest delay that timers can count: 24.8 days. */
const MAX_RETRY_MS = 2 ** 31 - 1;
