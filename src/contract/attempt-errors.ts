import { parseStored } from "./json/json-text.js";
import type { JsonText } from "./operation.js";
import { isObject } from "./options.js";
import type { Problem } from "./problem.js";

/** Why one attempt failed. For operators, never for clients. */
export interface AttemptError {
  /** Number of the attempt. The first attempt is 1. */
  readonly attempt: number;
  /** When the attempt ended, by the clock of its worker. Epoch milliseconds. */
  readonly at: number;
  /** Reason of the failure. Contains no payload. */
  readonly detail: string;
}

/** Number of attempts whose errors an operation keeps, including the latest one. */
const MAX_KEPT = 10;
/** Length of the details of all but the latest attempt, so that lists of operations stay small. */
const MAX_EARLIER_LENGTH = 200;

/** Adds the failure of an attempt to the errors that an operation keeps, and returns its new `lastError`. */
export function addAttemptError(
  lastError: JsonText | undefined,
  { attempt, at, ...failure }: Problem & Pick<AttemptError, "attempt" | "at">,
): JsonText {
  const earlier = attemptErrorsIn(lastError)
    .slice(0, MAX_KEPT - 1)
    .map((error) => ({ ...error, detail: error.detail.slice(0, MAX_EARLIER_LENGTH) }));
  return JSON.stringify({ ...failure, attempt, at, ...(earlier.length === 0 ? {} : { earlier }) });
}

/** Returns the errors that a `lastError` keeps, newest first. */
export function attemptErrorsIn(lastError: JsonText | undefined): readonly AttemptError[] {
  const stored = lastError === undefined ? undefined : parseStored(lastError);
  const { earlier } = (stored ?? {}) as { readonly earlier?: unknown };
  return [stored, ...(Array.isArray(earlier) ? earlier : [])].filter(isAttemptError).map(toAttemptError);
}

function isAttemptError(value: unknown): value is AttemptError {
  if (!isObject(value)) return false;
  const { attempt, at, detail } = value as Partial<AttemptError>;
  return typeof attempt === "number" && typeof at === "number" && typeof detail === "string";
}

function toAttemptError({ attempt, at, detail }: AttemptError): AttemptError {
  return { attempt, at, detail };
}
