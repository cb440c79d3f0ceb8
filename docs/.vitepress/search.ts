import type { DefaultTheme } from "vitepress";

/** The search runs in the browser, which loads an index of the pages when the search is opened. */
export const search: DefaultTheme.Config["search"] = {
  provider: "local",
  options: {
    miniSearch: {
      _splitIntoSections: sectionsOf,
      options: { tokenize: wordsOf },
      searchOptions: { boostDocument: rankOf },
    },
  },
};

/** A part of a page that the search finds by itself. */
interface Section {
  /** Anchor of its heading. Empty for the page itself. */
  readonly anchor: string;
  /** The title of the page first, then those of the headings around it, and its own. */
  readonly titles: string[];
  readonly text: string;
}

const HEADING = /<h([1-6]) id="([^"]*)"[^>]*>([^\n]*?)<\/h\1>/g;
const NAME = /<tr>\s*<td[^>]*>(?:<a [^>]*><\/a> )?<code.*?<\/td>/g;

/** A name that a table explains counts as often as this, so that its section comes before those that mention it. */
const WEIGHT_OF_NAMES = 5;

/**
 * Splits a rendered page at its headings. A page of the reference is split at its exports. It has only the names of their members,
 * because guides explain them, and the browser loads everything that is searched.
 */
function sectionsOf(path: string, html: string): Section[] {
  const isReference = /[\\/]reference[\\/]/.test(path);
  const headings = [...html.matchAll(HEADING)]
    .map(({ 0: all, 1: level, 2: anchor = "", 3: title = "", index }) => ({
      level: Number(level),
      anchor,
      title: textOf(title.replace(/<a class="header-anchor".*/, "")).trim(),
      index,
      end: index + all.length,
    }))
    .filter(({ level }) => !isReference || level === 1 || level === 3);
  const above: (string | undefined)[] = [];
  return headings.map(({ level, anchor, title, end }, index) => {
    const content = html.slice(end, headings[index + 1]?.index);
    above.splice(level - 1, Infinity, title);
    const titles = above.filter((each) => each !== undefined);
    const names = textOf((content.match(NAME) ?? []).join("\n"));
    const text = isReference ? names : textOf(content) + `\n${names}`.repeat(WEIGHT_OF_NAMES - 1);
    return { anchor: level === 1 ? "" : anchor, titles, text };
  });
}

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, "").replace(/&#?\w+;|async-request-reply/g, " ");
}

/**
 * Returns the words by which a text is found. Leaves out words that say nothing, numbers other than status codes, and the titles
 * around a section, which `rankOf` compares. Plurals are found as their singular.
 * Also runs in the browser, so it can use nothing else.
 */
function wordsOf(text: string, field?: string): string[] {
  if (field === "titles") return [];
  const silent =
    " a about after again all also an and another any are as at be because been before but by can cannot const do does each every " +
    "for from has have if import in into is it its may more must never no not of on once one only or other over own return returns " +
    "same so string such than that the their them then there these they this to two until up use was what when which while who why " +
    "will with without you your ";
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !silent.includes(` ${word} `) && !/^\d(?!\d\d$)/.test(word))
    .map((word) => (word.length > 3 ? word.replace(/ies$/, "y").replace(/([^s])s$/, "$1") : word));
}

/**
 * Ranks guides before problem types, these before the reference, and that before design decisions. Ranks pages whose title has the term before sections of
 * guides whose title has it, and these before the others.
 * Runs in the browser, so it can use nothing else.
 */
function rankOf(path: string, term: string, section?: Record<string, unknown>): number {
  const { title = "", titles = [] } = (section ?? {}) as { title?: string; titles?: string[] };
  const names = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .map((word) => word.replace(/ies$/, "y"))
      .some((word) => word.startsWith(term));
  const boost = names(titles[0] || title) ? 2 : 1;
  if (path.startsWith("/decisions/")) return 0.2 * boost;
  if (path.startsWith("/reference/")) return 0.5 * boost;
  if (path.startsWith("/problems")) return 0.7 * boost;
  return boost === 1 && names(title) ? 1.5 : boost;
}
