/** The characters of one or more `pchar` (RFC 3986 §3.3), with whole percent-encodings. */
const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;

/**
 * Decodes one segment of a path. An encoded slash is a part of the text. Returns `undefined` for what is no segment of a URI
 * (RFC 3986 §3.3), is not UTF-8, is empty, or is `.` or `..`, encoded or not: proxies and clients remove those.
 */
export function decodeSegment(segment: string): string | undefined {
  if (!SEGMENT.test(segment)) return undefined;
  try {
    const text = decodeURIComponent(segment);
    return text === "." || text === ".." ? undefined : text;
  } catch {
    return undefined;
  }
}
