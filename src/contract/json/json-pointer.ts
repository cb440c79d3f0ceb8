/**
 * Returns a JSON Pointer in URI fragment form (RFC 6901 §6) from the names and indices that lead to a value, such as
 * `#/items/0/a~1b`. An empty path is the whole document, `#`. Characters that a fragment cannot contain (RFC 3986
 * §3.5) are percent-encoded. A lone surrogate, which no URI can contain, becomes U+FFFD.
 */
export function toFragmentPointer(path: readonly PropertyKey[]): string {
  return `#${path.map((segment) => `/${encodeSegment(String(segment))}`).join("")}`;
}

function encodeSegment(segment: string): string {
  // `~` first, or it would escape the escapes (RFC 6901 §3).
  const token = segment.replaceAll("~", "~0").replaceAll("/", "~1");
  // encodeURI keeps `#`, which a fragment must not contain.
  return encodeURI(token.toWellFormed()).replaceAll("#", "%23");
}
