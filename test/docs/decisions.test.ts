import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linksOf } from "./links.js";
import { type Page, page, pages, root } from "./pages.js";

const records = pages.filter(({ path }) => /^docs\/adr\/\d/.test(path));

function headings({ text }: Page): string[] {
  return [...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading);
}

describe("the decision records", () => {
  it("are numbered without a gap, and listed in that order", () => {
    const files = records.map(({ path }) => path.slice("docs/adr/".length));
    expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
    expect(linksOf(page("docs/adr/README.md")).filter((target) => /^\d/.test(target))).toEqual(files);
  });

  it.each(records)("say why, what and what follows in 20 to 40 lines: $path", (record) => {
    const [title = "", ...others] = headings(record);
    expect(title).toMatch(new RegExp(`^# ${record.path.slice("docs/adr/".length).slice(0, 4)}\\. `));
    expect(others).toEqual(["## Context", "## Decision", "## Consequences"]);
    const lines = record.text.trimEnd().split("\n").length;
    expect(lines).toBeGreaterThanOrEqual(20);
    expect(lines).toBeLessThanOrEqual(40);
  });
});

/** A row of the table: the paragraph of the specification, and what is said of it. */
interface Row {
  readonly paragraph: string;
  readonly text: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

const rows: readonly Row[] = [...page("docs/spec-decisions.md").text.matchAll(/^\| §(\S+) \|(.*)$/gm)].map(
  ([, paragraph = "", text = ""]) => ({ paragraph, text, tests: testsIn(text) }),
);

/** `[file](../file) "name" "another name"`. */
function testsIn(text: string): Row["tests"] {
  return [...text.matchAll(/\]\(\.\.\/([^)]+\.ts)\)((?: "[^"]+")+)/g)].flatMap(([, file = "", names = ""]) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => ({ file, name })),
  );
}

/** The paragraphs of the specification; those of §1 and §7 are numbered sentences. */
const PARAGRAPHS = "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 2 3 4.1 4.2 4.3 4.4 5 6 7 7.1 7.2 7.3 7.4 8 9".split(" ");

describe("the table of decisions on the specification", () => {
  it("has a row for every paragraph", () => {
    const covered = new Set(rows.map(({ paragraph }) => paragraph));
    expect(PARAGRAPHS.filter((paragraph) => !covered.has(paragraph))).toEqual([]);
  });

  it("names a decision record wherever the specification shows nothing", () => {
    const open = rows.filter(({ text }) => text.includes("not shown"));
    expect(open.length).toBeGreaterThanOrEqual(15);
    expect(open.filter(({ text }) => !text.includes("](adr/")).map(({ text }) => text)).toEqual([]);
  });

  it("names tests that exist, at least one in every row", () => {
    expect(rows.filter(({ tests }) => tests.length === 0).map(({ paragraph }) => paragraph)).toEqual([]);
    const missing = rows.flatMap(({ tests }) => tests).filter(({ file, name }) => !hasTest(file, name));
    expect(missing).toEqual([]);
  });
});

/** Cases of the suites are tests too: those of every adapter and back end. */
function hasTest(file: string, name: string): boolean {
  if (!/^(test\/.+\.test|src\/testing\/suites\/.+)\.ts$/.test(file) || !existsSync(join(root, file)))
    return false;
  const source = readFileSync(join(root, file), "utf8");
  return ['"', "'", "`"].some((quote) => source.includes(quote + name + quote));
}
