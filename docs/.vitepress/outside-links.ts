import { posix } from "node:path";

/** The part of a markdown-it token that is used here. */
interface Token {
  type: string;
  content: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** The part of markdown-it that is used here. */
interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { tokens: Token[]; env: { relativePath: string } }) => void): void;
    };
  };
}

const README = "https://www.npmjs.com/package/async-request-reply";

/**
 * Rewrites links from a page to files outside `docs/`, which work only on GitHub. A link to the README goes to npm. Any other
 * link goes to the repository (`owner/name`). If the repository is unknown, only the text of the link remains.
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

/** Returns the path of a link from the root of the repository, with its anchor, or undefined if it leads to a page of the site. */
export function pathOutside(href: string, page: string): string | undefined {
  if (/^([a-z]+:|[/#])/i.test(href)) return undefined;
  const path = posix.join("docs", posix.dirname(page), href);
  return path.startsWith("docs/") ? undefined : path;
}

/** Returns the public address of a file in the repository, or undefined if it has none. */
export function addressOf(path: string, repository: string | undefined): string | undefined {
  if (/^README\.md(#|$)/.test(path)) return path.replace("README.md", README);
  return repository === undefined ? undefined : `https://github.com/${repository}/blob/main/${path}`;
}
