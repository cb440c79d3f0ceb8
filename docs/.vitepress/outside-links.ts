import { posix } from "node:path";

/** What is needed of a token of markdown-it. */
interface Token {
  type: string;
  content: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** What is needed of markdown-it. */
interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { tokens: Token[]; env: { relativePath: string } }) => void): void;
    };
  };
}

const README = "https://www.npmjs.com/package/async-request-reply";

/**
 * Redirects the links of pages that lead out of the folder of the pages, as they do on GitHub. The README is on npm; other
 * files are in the repository (`owner/name`), and where that is not known only the text of the link is left.
 */
export function outsideLinks(markdown: Markdown, repository: string | undefined): void {
  markdown.core.ruler.push("outside-links", ({ tokens, env }) => {
    for (const { children } of tokens) redirect(children ?? [], env.relativePath, repository);
  });
}

function redirect(tokens: readonly Token[], page: string, repository: string | undefined): void {
  let isDropped = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const outside = pathOutside(token.attrGet("href") ?? "", page);
      const address = outside === undefined ? undefined : addressOf(outside, repository);
      if (address !== undefined) token.attrSet("href", address);
      isDropped = outside !== undefined && address === undefined;
    }
    if (isDropped && token.type.startsWith("link_")) Object.assign(token, { type: "text", content: "" });
  }
}

/** Where a link leads to from the root of the repository, with its anchor, if that is not a page of the site. */
export function pathOutside(href: string, page: string): string | undefined {
  if (/^([a-z]+:|[/#])/i.test(href)) return undefined;
  const path = posix.join("docs", posix.dirname(page), href);
  return path.startsWith("docs/") ? undefined : path;
}

/** The address of a file of the repository, if it has one. */
export function addressOf(path: string, repository: string | undefined): string | undefined {
  if (/^README\.md(#|$)/.test(path)) return path.replace("README.md", README);
  return repository === undefined ? undefined : `https://github.com/${repository}/blob/main/${path}`;
}
