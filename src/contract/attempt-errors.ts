import { parseStored } from "./json/json-text.js";
import type { JsonText } from "./operation.js";
import { isObject } from "./options.js";
import { plainText } from "./plain-text.js";
import type { Problem } from "./problem.js";

/** Why one attempt failed. For operators, never for clients. */
export interface AttemptError {
  /** Number of the attempt. The first attempt is 1. */
  readonly attempt: number;
  /** When the attempt ended, by the clock of its worker. Epoch milliseconds. */
  readonly at: number;
  /** Reason of the failure. May quote a payload, unless the worker keeps only the classes of errors. */
  readonly detail: string;
}

/** Number of attempts whose errors an operation keeps, including the latest one. */
const MAX_KEPT = 10;
/** Size of the detail of the latest attempt. Bytes in UTF-8. */
const MAX_BYTES = 1_024;
/** Size of the details of all other attempts, so that lists of operations stay small. Bytes in UTF-8. */
const MAX_EARLIER_BYTES = 200;

/** Adds the failure of an attempt to the errors that an operation keeps, and returns its new `lastError`. */
export function addAttemptError(
  lastError: JsonText | undefined,
  { attempt, at, detail = "", ...failure }: Problem & Pick<AttemptError, "attempt" | "at">,
): JsonText {
  const earlier = attemptErrorsIn(lastError)
    .slice(0, MAX_KEPT - 1)
    .map((error) => ({ ...error, detail: shortened(error.detail, MAX_EARLIER_BYTES) }));
  const latest = { ...failure, detail: shortened(detail, MAX_BYTES), attempt, at };
  return JSON.stringify({ ...latest, ...(earlier.length === 0 ? {} : { earlier }) });
}

/** Returns as much of a text as fits, in whole code points. */
function shortened(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(plainText(text, maxBytes), bytes);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, written));
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
