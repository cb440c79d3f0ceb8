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

/**
 * Returns the names and indices of a JSON Pointer in URI fragment form (RFC 6901 §6): `items`, `0` and `a/b` for
 * `#/items/0/a~1b`. Returns `undefined` if the text is not such a pointer.
 */
export function parseFragmentPointer(pointer: string): readonly string[] | undefined {
  if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
  try {
    const segments = decodeURIComponent(pointer).split("/").slice(1);
    // `~0` last, or it could create escapes that were not in the text (RFC 6901 §4).
    return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined; // a stray percent sign
  }
}
