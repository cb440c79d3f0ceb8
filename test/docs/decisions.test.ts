import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { page, pages, root } from "../support/pages.js";
import { linksOf } from "./links.js";

const FOLDER = "docs/decisions/";
const LIST = `${FOLDER}README.md`;

const decisions = pages.filter(({ path }) => path.startsWith(FOLDER) && path !== LIST);

describe("the design decisions", () => {
  it("are each listed once", () => {
    const listed = linksOf(page(LIST)).filter((target) => !target.startsWith(".."));
    expect(listed.map((target) => FOLDER + target).sort()).toEqual(decisions.map(({ path }) => path).sort());
  });

  it.each(decisions)("say what holds, and then why: $path", ({ text }) => {
    const [, ...sections] = text.split(/^## /m);
    expect(sections.length).toBeGreaterThan(0);
    const leadsOf = (section: string) =>
      [...section.matchAll(/^\*\*([A-Z][a-z ]+)\.\*\* /gm)].map(([, lead]) => lead);
    const unfinished = sections.filter(
      (section) => !/^What holds,Why(,Rejected)?$/.test(leadsOf(section).join()),
    );
    expect(unfinished).toEqual([]);
  });

  // Links of pages have their own test. Comments in the code name pages by their paths.
  it("exist wherever a file names one", () => {
    const pattern = `${FOLDER}[A-Za-z0-9._-]+[.]md`;
    const found = execFileSync("git", ["grep", "-ohE", pattern], { cwd: root, encoding: "utf8" });
    const named = found.trim().split("\n");
    const known = [LIST, ...decisions.map(({ path }) => path)];
    expect(named.filter((path) => !known.includes(path))).toEqual([]);
  });
});
