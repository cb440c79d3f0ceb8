import { sectionOf } from "../docs/sections.js";
import { type Block, blocksOf, type Page, page, filesIn as pathsIn } from "../support/pages.js";
import type { SourceFile } from "./project.js";

/**
 * Returns the files that a page shows, or one of its sections. A block without a file name is `mount.ts`.
 *
 * @throws Error if there is no block
 */
export function filesOf(path: string, heading?: string): readonly SourceFile[] {
  const files = filesIn(heading === undefined ? page(path) : sectionOf(path, heading));
  if (files.length === 0) throw new Error(`${path} shows no file under "${heading}".`);
  return files;
}

/** Returns the files that a page shows. */
export function filesIn(shown: Page): readonly SourceFile[] {
  return blocksOf(shown, "js", "ts").map(toFile);
}

/** Returns the files of an example that a page links to. */
export function exampleFiles(folder: string): readonly SourceFile[] {
  return pathsIn(folder).map((path) => ({ path: path.slice(folder.length + 1), text: page(path).text }));
}

function toFile({ info, text }: Block): SourceFile {
  const [, path = "mount.ts"] = /^\[(.+)\]$/.exec(info[1] ?? "") ?? [];
  return { path, text };
}
