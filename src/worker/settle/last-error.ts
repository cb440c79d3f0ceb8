import { addAttemptError } from "../../contract/attempt-errors.js";
import { isAsyncReplyError } from "../../contract/errors.js";
import type { JsonText, Operation } from "../../contract/operation.js";
import { problem } from "../../contract/problem.js";

const MAX_LENGTH = 1_000;

/** Matches names and codes such as `TypeError` and `ECONNREFUSED`. Any other text may contain data. */
const IDENTIFIER = /^[\w.:$-]{1,100}$/;

/**
 * Describes for operators why an attempt failed. Lists of operations must not show payloads, and messages of foreign
 * errors often quote values, so only their name and code are kept. The observer gets the full error.
 *
 * @param at Now. Epoch milliseconds.
 */
export function lastErrorOf(error: unknown, { lastError, attempt }: Operation, at: number): JsonText {
  const detail = describe(error).slice(0, MAX_LENGTH);
  return addAttemptError(lastError, { ...problem("work-failed", { detail }), attempt, at });
}

function describe(error: unknown): string {
  // Our own messages never contain parts of a payload.
  if (isAsyncReplyError(error)) return error.message;
  const names = [identifierIn(error, "name"), identifierIn(error, "code")];
  const known = names.filter((name) => name !== undefined).join(" ");
  return known === "" ? "The processor threw." : `The processor threw ${known}.`;
}

function identifierIn(error: unknown, member: "name" | "code"): string | undefined {
  try {
    const value: unknown = (error as Partial<Record<typeof member, unknown>>)[member];
    return typeof value === "string" && IDENTIFIER.test(value) ? value : undefined;
  } catch {
    // The error is `undefined` or `null`, or reading it throws.
    return undefined;
  }
}
