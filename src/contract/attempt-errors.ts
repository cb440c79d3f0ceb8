import { parseStored } from "./json/json-text.js";
import type { JsonText } from "./operation.js";
import { isObject, present } from "./options.js";
import { plainText } from "./plain-text.js";
import type { Problem } from "./problem.js";

/** Why one attempt failed. For operators, never for clients. */
export interface AttemptError {
  /** Number of the attempt. The first attempt is 1. */
  readonly attempt: number;
  /** When the attempt began, by the clock of its worker. Epoch milliseconds. Absent if an older worker ran it. */
  readonly startedAt?: number;
  /** When the attempt ended, by the same clock. Epoch milliseconds. */
  readonly at: number;
  /** Random id of the worker that ran it. Absent if an older worker ran it. */
  readonly process?: string;
  /** Reason of the failure. May quote a payload, unless the worker keeps only the classes of errors. */
  readonly detail: string;
}

/** An attempt as it is stored. Its length instead of its start, because that takes half the room. */
type StoredAttempt = Omit<AttemptError, "startedAt"> & {
  /** Milliseconds. */
  readonly ms?: number;
};

/** Number of attempts whose errors an operation keeps, including the latest one. */
export const MAX_ATTEMPT_ERRORS = 20;
/** Size of the detail of the latest attempt. Bytes in UTF-8. */
const MAX_BYTES = 1_024;
/** Size of the detail of each other attempt, and of all of them together, so that lists of operations stay small. Bytes in UTF-8. */
const MAX_EARLIER_BYTES = 200;
const MAX_ALL_EARLIER_BYTES = 700;

/** Adds the failure of an attempt to the errors that an operation keeps, and returns its new `lastError`. */
export function addAttemptError(
  lastError: JsonText | undefined,
  { attempt, startedAt, at, process, detail = "", ...failure }: Problem & Omit<AttemptError, "detail">,
): JsonText {
  const earlier = allShortened(attemptErrorsIn(lastError).slice(0, MAX_ATTEMPT_ERRORS - 1));
  const latest = toStored({
    attempt,
    at,
    detail: shortened(detail, MAX_BYTES),
    ...present({ startedAt, process }),
  });
  return JSON.stringify({ ...failure, ...latest, ...(earlier.length === 0 ? {} : { earlier }) });
}

/** Shortens the details of earlier attempts. The oldest come first, and leave the room that they do not need to the newer ones. */
function allShortened(errors: readonly AttemptError[]): readonly StoredAttempt[] {
  let left = MAX_ALL_EARLIER_BYTES;
  return errors
    .toReversed()
    .map((error, index) => {
      const share = Math.floor(left / (errors.length - index));
      const detail = shortened(error.detail, Math.min(share, MAX_EARLIER_BYTES));
      left -= new TextEncoder().encode(detail).length;
      return toStored({ ...error, detail });
    })
    .toReversed();
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
  return [stored, ...(Array.isArray(earlier) ? earlier : [])].filter(isStoredAttempt).map(fromStored);
}

function isStoredAttempt(value: unknown): value is StoredAttempt {
  if (!isObject(value)) return false;
  const { attempt, at, detail } = value as Partial<StoredAttempt>;
  return typeof attempt === "number" && typeof at === "number" && typeof detail === "string";
}

function toStored({ startedAt, ...error }: AttemptError): StoredAttempt {
  return startedAt === undefined ? error : { ...error, ms: Math.max(0, error.at - startedAt) };
}

/** Leaves out what has another form, because other programs can write to the store. */
function fromStored({ attempt, at, detail, ms, process }: StoredAttempt): AttemptError {
  return {
    ...{ attempt, at, detail },
    ...(typeof ms === "number" && { startedAt: at - ms }),
    ...(typeof process === "string" && { process }),
  };
}
