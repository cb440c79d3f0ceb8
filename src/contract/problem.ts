import type { Violation } from "./errors.js";
import type { JsonText } from "./operation.js";

/** A problem as RFC 9457 defines it, with the extension members of this contract. */
export interface Problem {
  /** The stable URI of {@link problemType}: for programs. */
  readonly type: string;
  /** The same for every problem of its type: for people. */
  readonly title: string;
  /** The status of the reply. Absent in the `error` of an operation. */
  readonly status?: number;
  /** What is to say about this occurrence, to the client. Nothing internal. */
  readonly detail?: string;
  /** The violations of the contract, all at once (RFC 9457 §3, example of `errors`). */
  readonly errors?: readonly Violation[];
  /** The operation that it is about, where there is one. */
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
  "not-found": "There is nothing here",
  "method-not-allowed": "The method is not allowed here",
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
  "work-failed": "The work failed",
  "attempts-exhausted": "The work was tried too often",
  "invalid-result": "The work gave a result that cannot be kept",
  "input-refused": "The input no longer meets the contract",
  cancelled: "The operation was cancelled",
  abandoned: "The submission was never finished",
} as const;

/** The names of all problem types. */
export const PROBLEM_NAMES: readonly string[] = Object.keys(TITLES);

/** The page that explains every problem type; it travels with the package. */
export const PROBLEM_BASE_URI = "https://www.npmjs.com/package/async-request-reply#";

/**
 * Returns the stable URI of a problem type (RFC 9457 §3.1.1). Programs compare it; people may open it.
 *
 * @param baseUri the `problemBaseUri` of the service. Default: the page of this package on npm.
 */
export function problemType(name: ProblemName, baseUri: string = PROBLEM_BASE_URI): string {
  return baseUri + name;
}

/** Makes a problem of a named type. */
export function problem(
  name: ProblemName,
  members: Omit<Problem, "type" | "title"> = {},
  baseUri: string = PROBLEM_BASE_URI,
): Problem {
  const { status, ...rest } = members;
  return {
    type: problemType(name, baseUri),
    title: TITLES[name],
    ...(status === undefined ? {} : { status }),
    ...rest,
  };
}

/**
 * Returns the `error` of an operation as a service with this base URI shows it. Stored errors always have the default base:
 * workers, stores and other processes write them, and none of them knows the options of the service that shows them.
 */
export function withBaseUri(error: unknown, baseUri: string): unknown {
  const { type } = (error ?? {}) as { readonly type?: unknown };
  if (typeof type !== "string" || !type.startsWith(PROBLEM_BASE_URI)) return error;
  return { ...(error as object), type: baseUri + type.slice(PROBLEM_BASE_URI.length) };
}

/** The `error` of a failed operation. Its detail is for the client, so it must hold nothing internal. */
export function operationError(name: ProblemName, detail: string): JsonText {
  return JSON.stringify(problem(name, { detail }));
}

/** The `error` of an operation that was cancelled. Every store writes it, so it stands here. */
export const CANCELLED: JsonText = operationError(
  "cancelled",
  "The operation was cancelled before its work was done.",
);
