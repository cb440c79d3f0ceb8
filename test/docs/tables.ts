import { page } from "./pages.js";

/**
 * The rows of the tables in one section of a page, without the row of titles. Cells are without the backticks around them.
 *
 * @throws Error where there are none, so that a section cannot be renamed unnoticed
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
