import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../../contract/errors.js";
import { type Problem, type ProblemName, problem, shownProblem } from "../../contract/problem.js";

/** Status and problem type of the reply to errors with one code. */
export interface ErrorReply {
  readonly status: number;
  readonly problem: ProblemName;
  /** `Retry-After` of the reply, unless the error sets its own. Default: none. */
  readonly retryAfterSeconds?: number;
}

const UNAVAILABLE: ErrorReply = { status: 503, problem: "unavailable", retryAfterSeconds: 2 };
const INTERNAL: ErrorReply = { status: 500, problem: "internal" };

/** Maps error codes to replies. There is no other such table. */
const REPLIES: Partial<Record<ErrorCode, ErrorReply>> = {
  INVALID_HEADER: { status: 400, problem: "malformed-request" },
  INVALID_QUERY: { status: 400, problem: "malformed-request" },
  TOO_MANY_HEADER_FIELDS: { status: 431, problem: "too-many-header-fields" },
  INVALID_IDEMPOTENCY_KEY: { status: 400, problem: "invalid-idempotency-key" },
  MISSING_IDEMPOTENCY_KEY: { status: 400, problem: "missing-idempotency-key" },
  IDEMPOTENCY_KEY_REUSED: { status: 422, problem: "idempotency-key-reused" },
  UNAUTHENTICATED: { status: 401, problem: "unauthenticated" },
  FORBIDDEN: { status: 403, problem: "forbidden" },
  AUTHORIZATION_UNAVAILABLE: { status: 503, problem: "authorization-unavailable", retryAfterSeconds: 1 },
  TOO_MANY_REQUESTS: { status: 429, problem: "too-many-requests", retryAfterSeconds: 1 },
  TOO_MANY_PENDING: { status: 429, problem: "too-many-pending", retryAfterSeconds: 1 },
  BACKLOG_FULL: { status: 503, problem: "backlog-full", retryAfterSeconds: 1 },
  NOT_FOUND: { status: 404, problem: "not-found" },
  OUTPUT_DISCARDED: { status: 410, problem: "output-discarded" },
  METHOD_NOT_ALLOWED: { status: 405, problem: "method-not-allowed" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, problem: "unsupported-media-type" },
  UNSUPPORTED_CONTENT_CODING: { status: 415, problem: "unsupported-content-coding" },
  NOT_ACCEPTABLE: { status: 406, problem: "not-acceptable" },
  BODY_TOO_LARGE: { status: 413, problem: "body-too-large" },
  BODY_TIMEOUT: { status: 408, problem: "body-timeout" },
  BODY_ABORTED: { status: 400, problem: "malformed-body" },
  MALFORMED_BODY: { status: 400, problem: "malformed-body" },
  CONTRACT_VIOLATION: { status: 422, problem: "contract-violation" },
  SUBMISSION_IN_PROGRESS: { status: 409, problem: "submission-in-progress", retryAfterSeconds: 1 },
  CREATION_IN_PROGRESS: { status: 409, problem: "creation-in-progress", retryAfterSeconds: 1 },
  NOT_CONFIGURED: { status: 500, problem: "not-configured" },
  CREATION_FAILED: { status: 503, problem: "creation-failed", retryAfterSeconds: 1 },
  SUBMISSION_UNCERTAIN: { status: 503, problem: "unavailable", retryAfterSeconds: 2 },
  SERVICE_CLOSED: UNAVAILABLE,
  STORE_UNAVAILABLE: UNAVAILABLE,
  QUEUE_UNAVAILABLE: UNAVAILABLE,
  OVERLOADED: UNAVAILABLE,
};

/** Returns the reply to errors with this code. Codes that are not in the table are internal: 500. */
export function replyTo(code: ErrorCode): ErrorReply {
  return REPLIES[code] ?? INTERNAL;
}

/** An error as clients see it. It contains only text that was written for clients (RFC 9457 §3.1.4). */
export interface ProblemReply {
  readonly status: number;
  readonly code: ErrorCode;
  readonly body: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/** Turns any thrown value into a problem. Only an AsyncReplyError whose code is in the table can set the `detail`. */
export function toProblem(error: unknown, baseUri?: string): ProblemReply {
  const known = isAsyncReplyError(error) ? error : new AsyncReplyError("INTERNAL", "", { cause: error });
  const reply = replyTo(known.code);
  const { headers, violations, retryAfterSeconds = reply.retryAfterSeconds } = known.context;
  const detail = detailOf(known, reply);
  return {
    status: reply.status,
    code: known.code,
    body: shownProblem(
      problem(reply.problem, {
        status: reply.status,
        ...(detail === undefined ? {} : { detail }),
        ...(violations === undefined ? {} : { errors: violations }),
      }),
      baseUri,
    ),
    headers: {
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": wholeSeconds(retryAfterSeconds) }),
    },
  };
}

/**
 * Rounds up, because `Retry-After` allows only whole seconds (RFC 9110 §10.2.3). A hook may have returned any value.
 */
function wholeSeconds(seconds: number): string {
  return String(Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), MAX_SECONDS) : 1);
}

/** Recipients may read longer times as this one (RFC 9111 §1.2.2). About 68 years. */
const MAX_SECONDS = 2 ** 31 - 1;

function detailOf(error: AsyncReplyError, reply: ErrorReply): string | undefined {
  if (reply === INTERNAL) return undefined;
  // The detail of a back end may name hosts and tables.
  return reply === UNAVAILABLE ? "The service is temporarily unavailable. Try again later." : error.detail;
}
