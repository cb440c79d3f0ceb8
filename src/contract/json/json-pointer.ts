/**
 * Points at a value by the names and indices that lead to it: `#/items/0/a~1b`, a JSON Pointer in URI fragment form
 * (RFC 6901 §6). An empty path is the whole document, `#`. What no fragment may hold (RFC 3986 §3.5) is percent-encoded;
 * one half of a surrogate pair, which no URI can hold, becomes U+FFFD.
 */
export function toFragmentPointer(path: readonly PropertyKey[]): string {
  return `#${path.map((segment) => `/${encodeSegment(String(segment))}`).join("")}`;
}

function encodeSegment(segment: string): string {
  // `~` first, or it would escape the escapes (RFC 6901 §3).
  const token = segment.replaceAll("~", "~0").replaceAll("/", "~1");
  // encodeURI knows no fragments: it leaves `#`, which may not stand in one.
  return encodeURI(token.toWellFormed()).replaceAll("#", "%23");
}
