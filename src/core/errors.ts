/**
 * Codes of {@link AsyncReplyError}. They are public: removing one is a major change.
 * Which HTTP status a code becomes is said in one place, `http/problems.ts`.
 */
export type ErrorCode =
  | "INVALID_OPTION"
  | "INVALID_HEADER"
  | "INVALID_IDEMPOTENCY_KEY"
  | "MISSING_IDEMPOTENCY_KEY"
  | "IDEMPOTENCY_KEY_REUSED"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "AUTHORIZATION_TIMEOUT"
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
  | "CREATION_IN_PROGRESS"
  | "CREATION_FAILED"
  | "SUBMISSION_UNCERTAIN"
  | "STORE_UNAVAILABLE"
  | "QUEUE_UNAVAILABLE"
  | "OVERLOADED"
  | "CORRUPT_RECORD"
  | "PERMANENT_FAILURE"
  | "NO_TRANSACTIONS"
  | "TRANSACTION_USED"
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
  /** Header fields that the reply to this error must have, in lower case (RFC 9110). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The violations of a `CONTRACT_VIOLATION`. */
  readonly violations?: readonly Violation[];
  /** After how many whole seconds a repeated request makes sense. */
  readonly retryAfterSeconds?: number;
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

  /** The message is `code: detail`; a `cause` in the context is the `cause` of the error. */
  constructor(code: ErrorCode, detail: string, context: ErrorContext = {}) {
    super(`${code}: ${detail}`, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = "AsyncReplyError";
    Object.defineProperty(this, MARK, { value: true });
    this.code = code;
    this.detail = detail;
    this.context = context;
  }
}

/**
 * Recognises an {@link AsyncReplyError}, also one thrown by the other module format's copy of this
 * package, for which `instanceof` is false.
 */
export function isAsyncReplyError(error: unknown): error is AsyncReplyError {
  return typeof error === "object" && error !== null && MARK in error;
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
 * To be thrown by a processor, or by a definition's `create`: the work fails now and is not tried
 * again. The client reads `reason` in the operation's `error`, so it must hold nothing internal.
 */
export function permanentFailure(reason: string, cause?: unknown): AsyncReplyError {
  return new AsyncReplyError("PERMANENT_FAILURE", reason, cause === undefined ? {} : { cause });
}
