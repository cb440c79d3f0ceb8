/**
 * Returns the known name that a misspelled name most likely means, or undefined if no name is close. Ignores case, and
 * allows a third of the characters to differ.
 */
function closestName(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.find(({ distance }) => distance <= limit)?.candidate;
}

/** Suggests a known name for an unknown one, and lists the known names if none is close or there are only a few. */
export function suggestName(kind: string, name: string, known: readonly string[]): string {
  // A name of hundreds of characters is not a typo, and comparing it takes long.
  const closest = name.length > 100 ? undefined : closestName(name, known);
  const list = `Known ${kind}: ${known.join(", ") || "none"}.`;
  if (closest === undefined) return list;
  const suggestion = `Did you mean \`${closest}\`?`;
  return known.length > MAX_LISTED ? suggestion : `${suggestion} ${list}`;
}

/** Maximum length of a list after a suggestion. A longer list would hide the suggestion. */
const MAX_LISTED = 3;

/**
 * Returns how many characters have to be inserted, deleted, replaced or swapped with their neighbor (optimal string
 * alignment).
 */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : replaced;
      current.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
