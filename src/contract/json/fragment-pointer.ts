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

/**
 * Returns the names and indices that a pointer of this form leads through: `#/items/0/a~1b` gives `items`, `0` and `a/b`.
 * Returns undefined for any other text.
 */
export function parseFragmentPointer(pointer: string): readonly string[] | undefined {
  if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
  try {
    const segments = decodeURIComponent(pointer).split("/").slice(1);
    // `~0` last, or it would make escapes that were not written (RFC 6901 §4).
    return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined; // a stray percent sign
  }
}
