import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Page, pages, root } from "../support/pages.js";

const docs = pages.filter(({ path }) => path.startsWith("docs/"));
const nameOf = ({ path }: Page): string => path.slice("docs/".length);

describe("llms.txt", () => {
  const folder = mkdtempSync(join(tmpdir(), "llms-"));
  const written = (name: string): string => readFileSync(join(folder, name), "utf8");
  beforeAll(() => {
    execFileSync(process.execPath, [join(root, "docs/tools/llms.mjs"), folder]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has a title, a summary, and sections of links (llmstxt.org)", () => {
    const [title, summary, ...sections] = written("llms.txt")
      .trimEnd()
      .split(/\n\n(?!-)/);
    expect(title).toBe("# async-request-reply");
    expect(summary).toMatch(/^> .+$/);
    const link = String.raw`\n- \[[^\]]+\]\(/\S+\.md\)(: .+)?`;
    expect(sections.filter((section) => !new RegExp(`^## .+\n(${link})+$`).test(section))).toEqual([]);
  });

  it("describes every page in one line and provides it as Markdown", () => {
    const lines = written("llms.txt").split("\n");
    for (const page of docs) {
      const [line = ""] = lines.filter((each) => each.includes(`](/${nameOf(page)})`));
      expect(line, page.path).toMatch(/\): .{10,}$/);
      expect(written(nameOf(page))).toBe(page.text);
    }
  });

  it("comes with a file that has the full text of every page", () => {
    const all = written("llms-full.txt");
    expect(docs.filter(({ text }) => !all.includes(text.trim())).map(nameOf)).toEqual([]);
  });
});
