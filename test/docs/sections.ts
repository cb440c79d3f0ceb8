import { type Block, blocksOf, type Page, page } from "../support/pages.js";

/** Returns one section of a page. Its path names the section too, so that no two blocks have the same place. */
export function sectionOf(path: string, heading: string): Page {
  const parts = page(path).text.split(/^(?=## )/m);
  return { path: `${path} ${heading}`, text: parts.find((part) => part.startsWith(`## ${heading}\n`)) ?? "" };
}

/** Returns the first example of a section. Throws if it has none. */
export function exampleIn(path: string, heading: string): Block {
  const [block] = blocksOf(sectionOf(path, heading), "ts");
  if (block === undefined) throw new Error(`${path} has no example under ${heading}`);
  return block;
}
