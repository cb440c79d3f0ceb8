import { isAsyncReplyError } from "../../contract/errors.js";
import type { JsonText } from "../../contract/operation.js";
import { operationError } from "../../contract/problem.js";

const MAX_LENGTH = 1_000;

/** Names and codes that programs give, such as `TypeError` and `ECONNREFUSED`. Anything else may be text with data in it. */
const IDENTIFIER = /^[\w.:$-]{1,100}$/;

/**
 * Says for operators why an attempt is tried again. Messages of foreign errors often quote the value that they are about, so
 * only their name and code are kept: lists of operations show no payload. The observer gets the whole error.
 */
export function lastErrorOf(error: unknown): JsonText {
  return operationError("work-failed", describe(error).slice(0, MAX_LENGTH));
}

function describe(error: unknown): string {
  // The message of an error of ours has no part of a payload.
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
    // `undefined`, `null`, and errors that throw when they are read.
    return undefined;
  }
}
