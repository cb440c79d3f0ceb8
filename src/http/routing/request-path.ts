import type { HttpRequest } from "../message/message.js";

/** Returns the path of the request target without its query. */
export function pathOf({ path }: Pick<HttpRequest, "path">): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

/** One or more `pchar` (RFC 3986 §3.3). */
const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;

/**
 * Decodes one segment of a path. An encoded slash becomes part of the text. Returns undefined if the segment is empty,
 * malformed (RFC 3986 §3.3) or not UTF-8. Also returns undefined for `.` and `..`, encoded or not, because proxies and
 * clients remove them.
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
