// Writes llms.txt (llmstxt.org) with a line for each page, llms-full.txt with all of them, and the pages as Markdown beside
// their HTML: `node tools/llms.mjs [folder]`, by default into the built site.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { docs, readSections } from "./pages.mjs";

const [folder = join(docs, ".vitepress/dist")] = process.argv.slice(2);
const sections = readSections();
const pages = sections.flatMap((section) => section.pages);
const [front] = pages;

write("llms.txt", [`# ${front.title}`, `> ${front.lead}`, ...sections.map(list)]);
write(
  "llms-full.txt",
  pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}`),
);
for (const { path, text } of pages) write(path, [text]);

function list({ title, pages }) {
  const lines = pages.map((page) => `- [${page.title}](/${page.path})${page.summary && `: ${page.summary}`}`);
  return `## ${title}\n\n${lines.join("\n")}`;
}

function write(path, paragraphs) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${paragraphs.join("\n\n").trim()}\n`);
}
