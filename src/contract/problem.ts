import type { JsonText } from "./operation.js";
import { plainText } from "./plain-text.js";

/** Problem as defined by RFC 9457, with the extension members of this contract. */
export interface Problem {
  /** Stable URI of the type: the `problemBaseUri` of the service and the name. See {@link problemType}. */
  readonly type: string;
  /**
   * Short name of the type, for programs to compare: it is the same for every `problemBaseUri`. Present in every problem
   * that a service shows. Absent in stored errors, and in problems of proxies. Newer versions may have more names.
   */
  readonly name?: ProblemName | (string & {});
  /** Title for people. The same for every problem of its type. */
  readonly title: string;
  /** Status of the reply. Absent in the `error` of an operation. */
  readonly status?: number;
  /** Explanation of this occurrence, for the client. Contains no internals. */
  readonly detail?: string;
  /** All violations of the contract (RFC 9457 §3, example of `errors`). */
  readonly errors?: readonly Violation[];
  /** Id of the operation that the problem is about, if there is one. */
  readonly operationId?: string;
}

/** Names of the problem types. Each has an anchor of this name in `docs/problems.md`. */
export type ProblemName = keyof typeof TITLES;

// A title does not vary between occurrences of a type (RFC 9457 §3.1.3).
const TITLES = {
  "malformed-request": "The request is malformed",
  "too-many-header-fields": "There are too many header fields",
  "invalid-idempotency-key": "The idempotency key is malformed",
  "missing-idempotency-key": "An idempotency key is required",
  "idempotency-key-reused": "The idempotency key was used with another payload",
  unauthenticated: "Authentication is required",
  forbidden: "This is not allowed",
  "authorization-unavailable": "Authorization is not available",
  "too-many-requests": "Too many requests",
  "too-many-pending": "Too many operations have not ended yet",
  "backlog-full": "The backlog is full",
  "not-found": "Not found",
  "output-discarded": "This part of the output was discarded",
  "method-not-allowed": "The method is not allowed",
  "unsupported-media-type": "The media type is not supported",
  "unsupported-content-coding": "The content coding is not supported",
  "not-acceptable": "No acceptable media type is available",
  "body-too-large": "The body is too large",
  "body-timeout": "The body did not arrive in time",
  "malformed-body": "The body is malformed",
  "contract-violation": "The body violates the contract",
  "submission-in-progress": "The submission is being recorded",
  "creation-in-progress": "The resource is being created",
  "creation-failed": "The resource could not be created yet",
  unavailable: "The service is unavailable",
  internal: "Something went wrong",
  "not-configured": "The service is not configured",
  "work-failed": "The work failed",
  "attempts-exhausted": "All attempts failed",
  "invalid-result": "The result of the work is invalid",
  "output-too-large": "The output of the work is too large",
  "input-refused": "The input no longer meets the contract",
  cancelled: "The operation was cancelled",
  expired: "The work was not started in time",
  abandoned: "The submission was never finished",
} as const;

/** Names of all problem types. */
export const PROBLEM_NAMES: readonly string[] = Object.keys(TITLES);

/** Default base of the URIs of problem types: the README of this package on npm, which explains every type. */
export const PROBLEM_BASE_URI = "https://www.npmjs.com/package/async-request-reply#";

/**
 * Returns the stable URI of a problem type (RFC 9457 §3.1.1), which people can open.
 *
 * @param baseUri The `problemBaseUri` of the service. Default: the page of this package on npm.
 */
export function problemType(name: ProblemName, baseUri: string = PROBLEM_BASE_URI): string {
  return baseUri + name;
}

/**
 * Creates a problem of a type as it is stored, with texts that every store and reply can hold. Before anyone sees it,
 * {@link shownProblem} completes it.
 */
export function problem(
  name: ProblemName,
  { detail, errors, ...members }: Omit<Problem, "type" | "name" | "title"> = {},
): Problem {
  return {
    type: problemType(name),
    title: TITLES[name],
    ...members,
    ...(detail === undefined ? {} : { detail: plainDetail(detail) }),
    ...(errors === undefined
      ? {}
      : { errors: errors.map((violation) => ({ ...violation, detail: plainDetail(violation.detail) })) }),
  };
}

/** Keeps the `error` of an operation below 64 KiB in any encoding. UTF-16 code units. */
const MAX_DETAIL_LENGTH = 10_000;

function plainDetail(detail: string): string {
  return plainText(detail, MAX_DETAIL_LENGTH);
}

/**
 * Returns a problem as a service shows it: with its name and the base URI of the service. Stored problems have neither,
 * because the workers and stores that write them do not know the options of that service.
 */
export function shownProblem(stored: unknown, baseUri: string = PROBLEM_BASE_URI): Problem {
  const { type, ...rest } = (stored ?? {}) as Problem;
  if (typeof type !== "string" || !type.startsWith(PROBLEM_BASE_URI)) return stored as Problem;
  const name = type.slice(PROBLEM_BASE_URI.length);
  return { type: baseUri + name, name, ...rest };
}

/** Returns the `error` of a failed operation. The detail is for the client, so it must not contain internals. */
export function operationError(name: ProblemName, detail: string): JsonText {
  return JSON.stringify(problem(name, { detail }));
}

/** `error` of a cancelled operation, which every store writes. */
export const CANCELLED: JsonText = operationError(
  "cancelled",
  "The operation was cancelled before its work was done.",
);

/** `error` of an operation that no attempt began in time, which every store writes. */
export const EXPIRED: JsonText = operationError(
  "expired",
  "No worker started the work in time, so nothing was done. Submit it again if it still matters.",
);

/** One violation of the contract: where it is and what is wrong. */
export interface Violation {
  /**
   * Place of the violation as a JSON Pointer in URI fragment form (RFC 6901 §6), such as `#/quantity`. The whole body
   * is `#`.
   */
  readonly pointer: string;
  /** Description for people, in English. */
  readonly detail: string;
}
