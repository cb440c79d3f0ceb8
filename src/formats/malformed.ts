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

// `ignoreBOM` keeps the byte order mark, so that the format decides about it. Otherwise it would be dropped silently.
// One decoder serves all calls: without `stream` it keeps no state.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 strictly. Refuses invalid bytes instead of replacing them with U+FFFD (RFC 7493 §2.1), so the text
 * contains no lone surrogate. A byte order mark stays in the text.
 *
 * Throws `MALFORMED_BODY`.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed("The body is not valid UTF-8.");
  }
}
