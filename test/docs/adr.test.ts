import { describe, expect, it } from "vitest";
import { type Page, page, pages } from "../support/pages.js";
import { linksOf } from "./links.js";

const records = pages.filter(({ path }) => /^docs\/adr\/\d/.test(path));

function headings({ text }: Page): string[] {
  return [...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading);
}

describe("the decision records", () => {
  it("are numbered without gaps and listed in order", () => {
    const files = records.map(({ path }) => path.slice("docs/adr/".length));
    expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
    expect(linksOf(page("docs/adr/README.md")).filter((target) => /^\d/.test(target))).toEqual(files);
  });

  it.each(records)("have context, decision and consequences: $path", (record) => {
    const [title = "", ...others] = headings(record);
    expect(title).toMatch(new RegExp(`^# ${record.path.slice("docs/adr/".length).slice(0, 4)}\\. `));
    expect(others).toEqual(["## Context", "## Decision", "## Consequences"]);
  });
});
