import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The folder of the pages. */
export const docs = join(import.meta.dirname, "..");

/**
 * A page as lists of pages show it.
 *
 * @typedef {object} Page
 * @property {string} path from the folder of the pages, with slashes: `decisions/README.md`
 * @property {string} title its first heading, or the title in its front matter
 * @property {string} lead its first paragraph on one line, without links
 * @property {string} summary the first sentence of that
 * @property {string} text
 */

/**
 * The sections of the site, in order, with their pages. A folder stands for all of its pages; a section without any is left
 * out.
 *
 * @returns {{ title: string, collapsed: boolean, pages: Page[] }[]}
 */
export function readSections() {
  const sections = JSON.parse(readFileSync(join(docs, ".vitepress/sections.json"), "utf8"));
  return sections
    .map(({ title, collapsed = false, pages }) => ({
      title,
      collapsed,
      pages: pages.flatMap((path) => (path.endsWith("/") ? pagesIn(path) : [path])).map(readPage),
    }))
    .filter(({ pages }) => pages.length > 0);
}

/** @returns {Page} */
function readPage(path) {
  const text = readFileSync(join(docs, path), "utf8");
  const [, title = path] = /^(?:# |title: )(.+)$/m.exec(text) ?? [];
  const lead = leadOf(text);
  const [sentence = lead] = /^.*?[.:](?= [A-Z`]|$)/.exec(lead) ?? [];
  return { path, title: plain(title), lead, summary: sentence.replace(/:$/, "."), text };
}

/** The page of a folder first, then the others in the order in which it lists them. The reference is there only once it was made. */
function pagesIn(folder) {
  if (!existsSync(join(docs, folder))) return [];
  const files = readdirSync(join(docs, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(docs, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  const front = files.find((path) => /^(README|index)\.md$/.test(relative(folder, path)));
  const list = readFileSync(join(docs, front), "utf8");
  const place = (path) => (path === front ? -1 : list.indexOf(`](${relative(folder, path)})`));
  return files.sort((a, b) => place(a) - place(b));
}

function leadOf(text) {
  const paragraphs = text.replace(/^```[\s\S]*?^```$/gm, "").split(/\n{2,}/);
  const [lead = ""] = paragraphs.map((block) => block.trim()).filter((block) => /^[^#|>-]/.test(block));
  return plain(lead.replaceAll(/\s+/g, " "));
}

function plain(text) {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll("\\", "");
}
