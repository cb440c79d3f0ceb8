import { page } from "./pages.js";

/**
 * Returns the rows of the tables in one section of a page, without the header. The backticks around a cell are removed.
 *
 * @throws Error if there are no rows, so that renaming a section cannot disable its tests
 */
export function rowsOf(path: string, heading: string): readonly (readonly string[])[] {
  const [, section = ""] = page(path).text.split(`\n## ${heading}\n`);
  const [own = ""] = section.split("\n## ");
  const lines = own.split("\n").filter((line) => line.startsWith("| "));
  const rows = lines
    .slice(1)
    .map((line) => line.slice("| ".length, -" |".length).split(" | ").map(withoutBackticks));
  if (rows.length === 0) throw new Error(`${path} has no table under ${heading}`);
  return rows;
}

function withoutBackticks(cell: string): string {
  return cell.replace(/^`([^`]*)`$/, "$1");
}
