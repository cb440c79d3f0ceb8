import { slug } from "../../docs/.vitepress/slug.js";
import { type Page, proseOf } from "../support/pages.js";

/** Returns the anchors of a page: its headings, named as on GitHub, and `<a id>`. */
export function anchorsOf(page: Page): string[] {
  const prose = proseOf(page);
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")),
  );
  return [...headings, ...idsOf(page)];
}

/** Returns the anchors of a page that are not headings. */
export function idsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
}

/** Returns the link targets of a page. */
export function linksOf(page: Page): string[] {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}
