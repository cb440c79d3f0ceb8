import { AsyncReplyError } from "../../contract/errors.js";
import type { Format } from "../../formats/format.js";
import { parseMediaType } from "./media-type.js";

/**
 * Chooses the format that parses a body with this `Content-Type`. Never sniffs the body (RFC 9110 §8.3). Refuses any
 * `charset` other than UTF-8 (RFC 8259 §11). Ignores other parameters.
 *
 * Throws `UNSUPPORTED_MEDIA_TYPE`, with `Accept` for its reply (RFC 9110 §15.5.16).
 */
export function requestFormat(contentType: string | undefined, formats: readonly Format[]): Format {
  if (contentType === undefined) throw unsupported("The header field Content-Type is missing.", formats);
  const exact = formats.find(({ mediaTypes }) => mediaTypes[0] === contentType);
  if (exact !== undefined) return exact;
  const mediaType = parseMediaType(contentType);
  if (mediaType === undefined) throw unsupported("The header field Content-Type is malformed.", formats);
  const format = formats.find(({ mediaTypes }) => mediaTypes.includes(mediaType.type));
  if (format === undefined) throw unsupported("This media type is not supported.", formats);
  const charset = mediaType.parameters.get("charset") ?? "utf-8";
  if (charset.toLowerCase() !== "utf-8") throw unsupported("Only the charset utf-8 is supported.", formats);
  return format;
}

/**
 * Refuses a compressed body, because a small body may decompress to a huge one.
 *
 * Throws `UNSUPPORTED_CONTENT_CODING`, with `Accept-Encoding` for its reply (RFC 9110 §12.5.3).
 */
export function refuseContentCoding(contentEncoding: string | undefined): void {
  const coding = contentEncoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return;
  const headers = { "accept-encoding": "identity" };
  const detail = "Content-Encoding is not supported. Send the body uncompressed.";
  throw new AsyncReplyError("UNSUPPORTED_CONTENT_CODING", detail, { headers });
}

/**
 * Refuses a transfer coding besides `chunked`. Servers of Node pass the body on as it was coded (RFC 9112 §6.1).
 *
 * Throws `UNSUPPORTED_CONTENT_CODING`.
 */
export function refuseTransferCoding(transferEncoding: string | undefined): void {
  if (transferEncoding === undefined || /^\s*chunked\s*$/i.test(transferEncoding)) return;
  const detail = "Only the transfer coding `chunked` is supported. Send the body uncompressed.";
  throw new AsyncReplyError("UNSUPPORTED_CONTENT_CODING", detail);
}

function unsupported(reason: string, formats: readonly Format[]): AsyncReplyError {
  const accept = formats.map(({ mediaTypes }) => mediaTypes[0]).join(", ");
  const detail = `${reason} Supported: ${accept}.`;
  return new AsyncReplyError("UNSUPPORTED_MEDIA_TYPE", detail, { headers: { accept } });
}
