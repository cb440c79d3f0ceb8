import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { type Page, page, pages, root } from "../support/pages.js";
import { anchorsOf, linksOf } from "./links.js";

describe("a link", () => {
  it.each(pages)("points to an existing file and anchor: $path", (from) => {
    const inside = linksOf(from).filter((target) => !/^(https|mailto):/.test(target));
    expect(inside.filter((target) => !resolves(from, target))).toEqual([]);
  });

  it("leads to every page of docs", () => {
    const targets = pages.flatMap((from) =>
      linksOf(from).map((target) => join(dirname(from.path), target.replace(/#.*$/, ""))),
    );
    const unreachable = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
    expect(unreachable.filter((path) => !targets.includes(path))).toEqual([]);
  });
});

describe("an anchor", () => {
  it.each(pages)("is unique in its page: $path", (each) => {
    const anchors = anchorsOf(each);
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
  });
});

function resolves(from: Page, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from.path : join(dirname(from.path), file);
  if (!existsSync(join(root, path))) return false;
  if (anchor === undefined) return true;
  return statSync(join(root, path)).isFile() && anchorsOf(page(path)).includes(anchor);
}
