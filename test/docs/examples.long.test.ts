import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { compile, parse } from "../support/compile.js";
import { type Block, blocksOf, pages } from "../support/pages.js";
import { openWorkshop } from "./execute.js";

const blocks = pages.flatMap((page) => blocksOf(page, "js", "ts"));
const marked = (word: string): Block[] => blocks.filter(({ info }) => info.includes(word));

const workshop = openWorkshop();
afterAll(() => workshop.remove());

describe("a block of code", () => {
  it("uses a language that the tests know", () => {
    const known = ["console", "js", "json", "mermaid", "prisma", "sh", "sql", "ts", "xml", "yaml"];
    const languages = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/^```(\w+)/gm)].map(([, language = ""]) => ({ path, language })),
    );
    expect(languages.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it("is valid JSON if it is marked as JSON", () => {
    const json = pages.flatMap((page) => blocksOf(page, "json"));
    expect(json.length).toBeGreaterThan(0);
    for (const { text, place } of json) expect(() => JSON.parse(text), place).not.toThrow();
  });
});

describe("an example in TypeScript or JavaScript", () => {
  it("is marked only with words that the tests know", () => {
    const words = blocks.map(({ place, info }) => [place, ...info.slice(1)].join(" "));
    // A name in brackets is the file name in a quick start. A name after `fragment` is that of a program with an ORM.
    expect(words.filter((word) => !/^\S+( fragment( [a-z-]+)?| run| vitest| \[\S+\])*$/.test(word))).toEqual(
      [],
    );
    expect(marked("run").length).toBeGreaterThan(0);
  });

  it("compiles, unless it is marked as a fragment", () => {
    expect(compile(blocks.filter(({ info }) => !info.includes("fragment")))).toEqual([]);
  });

  it("parses if it is marked as a fragment", () => {
    expect(marked("fragment").flatMap(parse)).toEqual([]);
  });
});

describe("an example that is marked `run`", () => {
  it.each(marked("run"))("passes its assertions: $place", async (block) => {
    await expect(workshop.load(block)).resolves.toBeDefined();
  });
});

/** Importing such an example while Vitest collects tests adds its tests to this file. */
describe("an example that is marked `vitest`", async () => {
  for (const block of marked("vitest")) {
    const file = pathToFileURL(await workshop.bundle(block)).href;
    describe(`has tests that pass: ${block.place}`, () => import(file));
  }
});
