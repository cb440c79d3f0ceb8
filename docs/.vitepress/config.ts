import { cpSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { readSections } from "../tools/pages.mjs";
import { outsideLinks } from "./outside-links.js";
import { slug } from "./slug.js";

// Pages link to YANG modules, which VitePress must treat as files.
process.env.VITE_EXTRA_EXTENSIONS = "yang";

const sections = readSections();

export default defineConfig({
  title: "async-request-reply",
  description: "Build HTTP services that reply 202, do the work later, and let clients follow it.",
  lang: "en",
  cleanUrls: true,
  ignoreDeadLinks: false,
  lastUpdated: false,
  // VitePress copies pages only.
  buildEnd: ({ srcDir, outDir }) => cpSync(join(srcDir, "yang"), join(outDir, "yang"), { recursive: true }),
  markdown: {
    anchor: { slugify: slug },
    config: (markdown) => outsideLinks(markdown, process.env.GITHUB_REPOSITORY),
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Quick start", link: "/quick-start/node" },
      { text: "HTTP contract", link: "/contract" },
      { text: "Workers", link: "/workers" },
      { text: "Production", link: "/operating" },
      { text: "API reference", link: "/reference/" },
    ],
    sidebar: sections.map(({ title, collapsed, pages }) => ({
      text: title,
      collapsed,
      items: pages.map((page) => ({ text: page.title, link: linkTo(page.path) })),
    })),
  },
});

/** `adr/README.md` is served as `/adr/README`, `reference/index.md` as `/reference/`. */
function linkTo(path: string): string {
  return `/${path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}
