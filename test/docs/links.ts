import { slug } from "../../docs/.vitepress/slug.js";
import { type Page, proseOf } from "./pages.js";

/** The anchors that a page offers: its headings as GitHub names them, and `<a id>`. */
export function anchorsOf(page: Page): string[] {
  const prose = proseOf(page);
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")),
  );
  return [...headings, ...idsOf(page)];
}

/** The anchors of a page that are no headings. */
export function idsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
}

/** The targets of the links of a page. */
export function linksOf(page: Page): string[] {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}
