import { pathToFileURL } from "node:url";
import { openWorkshop } from "./execute.js";
import { type Block, blocksOf, page } from "./pages.js";

/** The modules that docs/frameworks.md shows. */
export interface FrameworkBlocks {
  /** Bundles and imports the first block of a section, whose exports the caller knows. */
  load<Exports>(heading: string): Promise<Exports>;
  remove(): void;
}

/** Opens the page. What was bundled is removed with `remove`. */
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
  // Two blocks are two files: their sections tell them apart.
  const [block] = blocksOf({ path: `${path} ${heading}`, text: section }, "ts");
  if (block === undefined) throw new Error(`${path} has no example under ${heading}`);
  return block;
}
