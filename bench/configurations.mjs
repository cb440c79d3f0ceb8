import { readFileSync } from "node:fs";

const page = readFileSync(new URL("README.md", import.meta.url), "utf8");

/** Reads a table of the page about benchmarks, by its heading. Returns how each contender is configured, without links. */
export function configurationsOf(heading) {
  const [, section = ""] = page.split(`\n### ${heading}\n`);
  const rows = section.split("\n#")[0].matchAll(/^\| (`.+?`) \| (.+) \|$/gm);
  return new Map(
    [...rows].flatMap(([, names, text]) =>
      names
        .slice(1, -1)
        .split("`, `")
        .map((name) => [name, linkless(text)]),
    ),
  );
}

/** Returns the row that describes a contender. A row also describes the names that continue its own after a comma. */
export function rowOf(name, configurations) {
  const rows = [...configurations.keys()].filter((row) => `${name}, `.startsWith(`${row}, `));
  if (rows.length === 0)
    throw new Error(`bench/README.md does not say how "${name}" is configured. Add a row for it.`);
  return rows.reduce((a, b) => (a.length >= b.length ? a : b));
}

/** Reduces links to their text. Those to other sites keep their address, because it says what recommends a setting. */
function linkless(markdown) {
  return markdown
    .replaceAll(/\[([^\]]+)\]\((https:[^)]+)\)/g, "$1 ($2)")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}
