import { pathToFileURL } from "node:url";
import { type Block, blocksOf, page } from "../support/pages.js";
import { openWorkshop } from "./execute.js";

/** The modules in docs/frameworks.md. */
export interface FrameworkBlocks {
  /** Bundles and imports the first block of a section. The caller knows its exports. */
  load<Exports>(heading: string): Promise<Exports>;
  remove(): void;
}

/** Opens the page. `remove` deletes the bundled files. */
export function openFrameworkBlocks(): FrameworkBlocks {
  const workshop = openWorkshop();
  return {
    load: async (heading) => import(pathToFileURL(await workshop.bundle(firstBlock(heading))).href),
    remove: workshop.remove,
  };
}

function firstBlock(heading: string): Block {
  const { path, text } = page("docs/frameworks.md");
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
  // The section is part of the file name, so that two blocks do not share a file.
  const [block] = blocksOf({ path: `${path} ${heading}`, text: section }, "ts");
  if (block === undefined) throw new Error(`${path} has no example under ${heading}`);
  return block;
}
