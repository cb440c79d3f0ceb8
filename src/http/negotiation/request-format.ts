import { AsyncReplyError } from "../../contract/errors.js";
import type { Format } from "../../formats/format.js";
import { parseMediaType } from "./media-type.js";

/**
 * Chooses the format that reads a body of this `Content-Type`. There is no sniffing (RFC 9110 §8.3), and bodies are
 * UTF-8: another `charset` is refused (RFC 8259 §11). Other parameters are ignored.
 *
 * @throws AsyncReplyError `UNSUPPORTED_MEDIA_TYPE`, with the `Accept` that its reply carries (RFC 9110 §15.5.16)
 */
export function requestFormat(contentType: string | undefined, formats: readonly Format[]): Format {
  if (contentType === undefined) throw unsupported("The header field Content-Type is required.", formats);
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
 * Refuses a compressed body: what is small on the wire may be huge when it is unpacked.
 *
 * @throws AsyncReplyError `UNSUPPORTED_CONTENT_CODING`, with the `Accept-Encoding` that its reply carries (RFC 9110 §12.5.3)
 */
export function refuseContentCoding(contentEncoding: string | undefined): void {
  const coding = contentEncoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return;
  const headers = { "accept-encoding": "identity" };
  const detail = "The body must be sent without a Content-Encoding.";
  throw new AsyncReplyError("UNSUPPORTED_CONTENT_CODING", detail, { headers });
}

function unsupported(reason: string, formats: readonly Format[]): AsyncReplyError {
  const accept = formats.map(({ mediaTypes }) => mediaTypes[0]).join(", ");
  const detail = `${reason} Supported: ${accept}.`;
  return new AsyncReplyError("UNSUPPORTED_MEDIA_TYPE", detail, { headers: { accept } });
}
