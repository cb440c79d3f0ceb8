import { AsyncReplyError } from "../contract/errors.js";

/**
 * The error for a body that is not what its media type says. Each `…` in the sentence stands for a name that the client has
 * sent: the client gets to read it, events and logs do not. For the same reason there is no `cause`: parsers quote the body.
 */
export function malformed(sentence: string, ...names: readonly string[]): AsyncReplyError {
  const rest = names.map(quoteName);
  const detail = sentence.replaceAll("…", () => rest.shift() ?? "");
  return new AsyncReplyError("MALFORMED_BODY", detail, { eventDetail: sentence });
}

/** The error for a body in whose format another thing than the one expected is written. It is well formed, and no such thing. */
export function wrongRoot(expected: string): AsyncReplyError {
  return new AsyncReplyError("CONTRACT_VIOLATION", "The body is well formed, but holds something else.", {
    violations: [{ pointer: "#", detail: `must be ${expected}` }],
  });
}

/** A name as a sentence may show it: in quotes, and not longer than a line. */
function quoteName(name: string): string {
  return JSON.stringify(name.length > 50 ? `${name.slice(0, 50)}…` : name);
}
