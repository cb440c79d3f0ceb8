import { isAsyncReplyError } from "../../contract/errors.js";
import { shortenedTo } from "../../contract/plain-text.js";
import type { ProcessorSettings } from "../settings.js";

/** Keeps the work small if a message is huge. An operation keeps less. UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 1_024;
/** Causes may form a cycle. */
const MAX_CAUSES = 3;

/** Matches names and codes such as `TypeError` and `ECONNREFUSED`. Any other text may contain data. */
const IDENTIFIER = /^[\w.:$-]{1,100}$/;

/**
 * Describes for operators why an attempt failed, with or without the messages of foreign errors, which often quote values.
 * Never throws. The observer gets the full error.
 */
export function describeError(error: unknown, text: ProcessorSettings["errors"]): string {
  const describe = text === "message" ? inFull : (thrown: unknown) => `${classOf(thrown)}.`;
  // Our own messages never contain parts of a payload.
  const sentence = isAsyncReplyError(error) ? error.message : `The processor threw${describe(error)}`;
  const causes = text === "message" ? causesOf(error) : [];
  return sentence + causes.map((cause) => ` (caused by${describe(cause)})`).join("");
}

/** Returns the class, the code and the message of an error. */
function inFull(error: unknown): string {
  const message = typeof error === "string" ? error : memberOf(error, "message");
  const isEmpty = typeof message !== "string" || message === "";
  return isEmpty ? `${classOf(error)}.` : `${classOf(error)}: ${shortenedTo(message, MAX_MESSAGE_LENGTH)}`;
}

function classOf(error: unknown): string {
  const names = [memberOf(error, "name"), memberOf(error, "code")];
  return names.map((name) => (typeof name === "string" && IDENTIFIER.test(name) ? ` ${name}` : "")).join("");
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let cause = memberOf(error, "cause");
  while (cause !== undefined && causes.length < MAX_CAUSES) {
    causes.push(cause);
    cause = memberOf(cause, "cause");
  }
  return causes;
}

function memberOf(error: unknown, member: "name" | "code" | "message" | "cause"): unknown {
  try {
    return (error as Partial<Record<typeof member, unknown>>)[member];
  } catch {
    // The error is `undefined` or `null`, or reading it throws.
    return undefined;
  }
}
