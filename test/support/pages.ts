import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of the repository. */
export const root: string = join(import.meta.dirname, "../..");

/** A Markdown page. */
export interface Page {
  /** Path from the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  /** Position of its first line, such as `docs/workers.md:12`. */
  readonly place: string;
  /** The words after the fence: the language, then instructions for the tests. */
  readonly info: readonly string[];
  readonly text: string;
}

/** Reads one page. */
export function page(path: string): Page {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

/** All handwritten pages, without installed and generated ones. */
export const pages: readonly Page[] = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/README.md",
  "src/README.md",
  "test/README.md",
  ...markdownIn("docs"),
  ...markdownIn("examples"),
].map(page);

/** Returns the fenced blocks of a page in these languages. */
export function blocksOf({ path, text }: Page, ...languages: readonly string[]): Block[] {
  const before = (index: number): number => text.slice(0, index).split("\n").length;
  return [...text.matchAll(/^```(\w.*)\n([\s\S]*?)^```$/gm)]
    .map(({ index, 1: info = "", 2: content = "" }) => ({
      place: `${path}:${before(index) + 1}`,
      info: info.split(/\s+/),
      text: content,
    }))
    .filter(({ info: [language = ""] }) => languages.includes(language));
}

/** Returns the text of a page without its fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

/** Returns the files in a folder and its subfolders, as paths from the root. Leaves out installed packages. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

function markdownIn(folder: string): string[] {
  return filesIn(folder)
    .filter((path) => path.endsWith(".md") && !/\/(\.vitepress|reference)\//.test(path))
    .sort();
}
