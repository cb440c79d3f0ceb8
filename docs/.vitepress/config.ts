import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { readSections } from "../tools/pages.mjs";
import { consoleSessions } from "./console-sessions.js";
import { diagrams } from "./diagrams.js";
import { firstProgram } from "./first-program.js";
import { focusableTables } from "./focusable-tables.js";
import { hangingIndent } from "./hanging-indent.js";
import { outsideLinks } from "./outside-links.js";
import { pictures } from "./pictures.js";
import { search } from "./search.js";
import { shortCode } from "./short-code.js";
import { slug } from "./slug.js";
import { tabs } from "./tabs.js";

// Pages link to YANG modules, which VitePress must treat as files.
process.env.VITE_EXTRA_EXTENSIONS = "yang";

const sections = readSections();
const repository = process.env.GITHUB_REPOSITORY;
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

export default defineConfig({
  title: "async-request-reply",
  description: "Turn work that takes longer than a request into a durable HTTP API.",
  lang: "en",
  cleanUrls: true,
  ignoreDeadLinks: false,
  lastUpdated: false,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  // VitePress copies pages only.
  buildEnd: ({ srcDir, outDir }) => cpSync(join(srcDir, "yang"), join(outDir, "yang"), { recursive: true }),
  markdown: {
    anchor: { slugify: slug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    codeTransformers: [hangingIndent, consoleSessions],
    config: (markdown) => {
      outsideLinks(markdown, repository);
      diagrams(markdown);
      focusableTables(markdown);
      firstProgram(markdown);
      pictures(markdown);
      shortCode(markdown);
      tabs(markdown);
    },
  },
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    logo: "/logo.svg",
    search,
    outline: { level: [2, 3], label: "On this page" },
    nav: [
      { text: "Quick start", link: "/quick-start" },
      { text: "Concepts", link: "/concepts" },
      { text: "Guide", link: "/guide" },
      { text: "Reference", link: "/reference/" },
      { text: `v${version}`, link: "https://www.npmjs.com/package/async-request-reply" },
    ],
    sidebar: sections.map(({ title, collapsed, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: linkTo(page.path) })),
      // A title that is a link is not a button, which must not contain the button that opens the section.
      ...(collapsed ? { collapsed, link: linkTo(pages[0]?.path ?? "") } : {}),
    })),
    ...(repository === undefined
      ? {}
      : {
          editLink: { pattern: `https://github.com/${repository}/edit/main/docs/:path` },
          socialLinks: [{ icon: "github", link: `https://github.com/${repository}` }],
        }),
  },
});

/** `decisions/README.md` is served as `/decisions/README`, `reference/index.md` as `/reference/`. */
function linkTo(path: string): string {
  return `/${path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}
