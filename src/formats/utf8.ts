import { malformed } from "./malformed.js";

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
