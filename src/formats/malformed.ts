import { contractViolation } from "../contract/contract-violation.js";
import { AsyncReplyError } from "../contract/errors.js";

/**
 * Returns the error for a body that does not match its media type. Each `…` in the sentence stands for a name that the
 * client sent. The client reads the name, but events and logs do not contain it. The error has no `cause`, because
 * parsers quote the body.
 */
export function malformed(sentence: string, ...names: readonly string[]): AsyncReplyError {
  const rest = names.map(quoteName);
  const detail = sentence.replaceAll("…", () => rest.shift() ?? "");
  return new AsyncReplyError("MALFORMED_BODY", detail, { eventDetail: sentence });
}

/** Returns the error for a well-formed body with the wrong root. */
export function wrongRoot(expected: string): AsyncReplyError {
  const violations = [{ pointer: "#", detail: `must be ${expected}` }];
  return contractViolation("The body is well formed, but has the wrong root.", violations);
}

/** Returns a name in quotes, shortened to fit on a line. */
function quoteName(name: string): string {
  return JSON.stringify(name.length > 50 ? `${name.slice(0, 50)}…` : name);
}
