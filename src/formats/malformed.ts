import { AsyncReplyError } from "../core/errors.js";

/** The error for a body that is not what its media type says. The sentence is shown to the client. */
export function malformed(sentence: string, cause?: unknown): AsyncReplyError {
  return new AsyncReplyError("MALFORMED_BODY", sentence, cause === undefined ? {} : { cause });
}

/** The error for a body in whose format another thing than the one expected is written. It is well formed, and no such thing. */
export function wrongRoot(expected: string): AsyncReplyError {
  return new AsyncReplyError("CONTRACT_VIOLATION", "The body is well formed, but holds something else.", {
    violations: [{ pointer: "#", detail: `must be ${expected}` }],
  });
}

/** A name that came from a client, as a sentence may show it: in quotes, and not longer than a line. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 50 ? `${name.slice(0, 50)}…` : name);
}
