import { malformed } from "./malformed.js";

// `ignoreBOM` means: keep the byte order mark, so that a format sees it and decides. Without it a mark would be
// dropped in silence. One decoder serves all calls: without `stream` nothing is kept from one call to the next.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 strictly: invalid bytes are refused, never replaced by U+FFFD (RFC 7493 §2.1), so the text holds no
 * lone surrogate. A byte order mark stays in the text.
 *
 * @throws AsyncReplyError `MALFORMED_BODY`
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed("The body is not valid UTF-8.");
  }
}
