import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { page, root } from "../support/pages.js";

const { text: table } = page("docs/spec-decisions.md");

/** The rows, with the paragraphs of the specification that each is about. */
const rows = [...table.matchAll(/^\| (§[^|]+) \|(.*)$/gm)].map(([, paragraphs = "", text = ""]) => ({
  paragraphs: paragraphs.split(", ").map((each) => each.slice("§".length)),
  text,
}));

/** The paragraphs of the specification. Those of §1 and §7 are numbered sentences. */
const PARAGRAPHS = "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 2 3 4.1 4.2 4.3 4.4 5 6 7 7.1 7.2 7.3 7.4 8 9".split(" ");

/** A test that a row cites: `[name.ts](../folder/name.ts) “a case” “another case”`. */
interface Citation {
  readonly file: string;
  readonly name: string;
}

function citationsIn(text: string): Citation[] {
  return [...text.matchAll(/\]\(\.\.\/([^)]+\.ts)\)((?: “[^”]+”)+)/g)].flatMap(([, file = "", names = ""]) =>
    [...names.matchAll(/“([^”]+)”/g)].map(([, name = ""]) => ({ file, name })),
  );
}

describe("the table of decisions on the specification", () => {
  it("has a row for every paragraph", () => {
    const covered = new Set(rows.flatMap(({ paragraphs }) => paragraphs));
    expect(PARAGRAPHS.filter((paragraph) => !covered.has(paragraph))).toEqual([]);
  });

  it("cites a decision page wherever the specification leaves something open", () => {
    const open = rows.filter(({ text }) => text.includes("not shown"));
    expect(open.length).toBeGreaterThanOrEqual(15);
    expect(open.filter(({ text }) => !text.includes("](decisions/")).map(({ text }) => text)).toEqual([]);
  });

  it("cites a test in every row", () => {
    expect(rows.filter(({ text }) => citationsIn(text).length === 0)).toEqual([]);
  });

  it("cites only existing tests", async () => {
    const missing: Citation[] = [];
    for (const citation of citationsIn(table)) if (!(await exists(citation))) missing.push(citation);
    expect(missing).toEqual([]);
  });
});

/**
 * Returns whether a test exists. The cases of suites are data. Other tests are found by their name in the file: those of the
 * example server are declared once for all of its back ends.
 */
async function exists({ file, name }: Citation): Promise<boolean> {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  if (/^(src\/testing\/suites|test\/support\/adapter-suite)\//.test(file))
    return (await caseNames(path)).includes(name);
  const source = readFileSync(path, "utf8");
  return (
    /\.test\.ts$|^test\/examples\/server-\w+\.ts$/.test(file) &&
    ['"', "'", "`"].some((quote) => source.includes(quote + name + quote))
  );
}

async function caseNames(path: string): Promise<string[]> {
  const exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  return Object.values(exported)
    .filter((value) => Array.isArray(value))
    .flatMap((cases: readonly { readonly name?: string }[]) => cases.map(({ name = "" }) => name));
}
