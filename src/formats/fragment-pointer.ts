/**
 * The names and indices that a JSON Pointer in URI fragment form leads through (RFC 6901 §6): `#/items/0/a~1b` gives `items`,
 * `0` and `a/b`. What is no such pointer gives `undefined`.
 */
export function parseFragmentPointer(pointer: string): readonly string[] | undefined {
  if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
  try {
    const segments = decodeURIComponent(pointer).split("/").slice(1);
    // `~0` last, or it would make escapes that nobody wrote (RFC 6901 §4).
    return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined; // a stray percent sign
  }
}
