/**
 * Returns the names and indices of a JSON Pointer in URI fragment form (RFC 6901 §6): `items`, `0` and `a/b` for
 * `#/items/0/a~1b`. Returns `undefined` if the text is not such a pointer.
 */
export function parseFragmentPointer(pointer: string): readonly string[] | undefined {
  if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
  try {
    const segments = decodeURIComponent(pointer).split("/").slice(1);
    // `~0` last, because it could create escapes that were not in the text (RFC 6901 §4).
    return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined; // a stray percent sign
  }
}
