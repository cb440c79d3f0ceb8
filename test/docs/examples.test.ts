import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { compile, parse } from "./compile.js";
import { openWorkshop } from "./execute.js";
import { type Block, blocksOf, pages } from "./pages.js";

const blocks = pages.flatMap((page) => blocksOf(page, "ts"));
const marked = (word: string): Block[] => blocks.filter(({ info }) => info.includes(word));

describe("an example in TypeScript", () => {
  it("says with words that the tests know what should be done with it", () => {
    const words = blocks.flatMap(({ place, info }) => info.slice(1).map((word) => `${place} ${word}`));
    expect(words.filter((word) => !/ (fragment|run)$/.test(word))).toEqual([]);
    expect(marked("run").length).toBeGreaterThan(0);
  });

  it("compiles, unless it is marked as a fragment", { timeout: 60_000 }, () => {
    expect(compile(blocks.filter(({ info }) => !info.includes("fragment")))).toEqual([]);
  });

  it("can be parsed where it is a fragment", () => {
    expect(marked("fragment").flatMap(parse)).toEqual([]);
  });
});

describe("an example that is marked to be run", () => {
  const workshop = openWorkshop();
  afterAll(() => workshop.remove());

  it.each(marked("run"))("keeps what it asserts: $place", { timeout: 30_000 }, async (block) => {
    await import(pathToFileURL(await workshop.bundle(block)).href);
  });
});
