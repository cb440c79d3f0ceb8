/** The part of a markdown-it token that is used here. */
interface Token {
  type: string;
  readonly tag: string;
  content: string;
  attrGet(name: string): string | null;
}

/** The part of markdown-it that is used here. */
interface Markdown {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void };
  };
}

/** A heading is three tokens, of which the second has its text. */
const HEADING_TOKENS = 3;

/** Shows the sections between `<!-- tabs -->` and `<!-- /tabs -->` as tabs. On GitHub, they are sections with headings. */
export function tabs(markdown: Markdown): void {
  markdown.core.ruler.push("tabs", ({ tokens }) => {
    const [opening, closing] = [findComment(tokens, "tabs"), findComment(tokens, "/tabs")];
    if (opening === -1 || closing === -1) return;
    const titles: { readonly id: string; readonly title: string }[] = [];
    for (let index = closing; index > opening; index--) {
      const token = tokens[index];
      if (token?.type !== "heading_open" || token.tag !== "h3") continue;
      const id = token.attrGet("id") ?? "";
      titles.unshift({ id, title: tokens[index + 1]?.content ?? "" });
      const start = Object.assign(token, { type: "html_block", content: `</template><template #${id}>\n` });
      tokens.splice(index, HEADING_TOKENS, start);
    }
    const list = JSON.stringify(titles).replaceAll('"', "&quot;");
    write(tokens[opening], `<Tabs :tabs="${list}"><template>\n`);
    write(tokens[findComment(tokens, "/tabs")], "</template></Tabs>\n");
  });
}

function findComment(tokens: readonly Token[], text: string): number {
  return tokens.findIndex(
    ({ type, content }) => type === "html_block" && content.trim() === `<!-- ${text} -->`,
  );
}

function write(token: Token | undefined, content: string): void {
  if (token !== undefined) token.content = content;
}
