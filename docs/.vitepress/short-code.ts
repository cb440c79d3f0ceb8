/** The part of markdown-it that is used here. */
interface Markdown {
  readonly renderer: { readonly rules: { code_inline?: InlineCode } };
}

type InlineCode = (tokens: readonly Token[], index: number, ...rest: unknown[]) => string;

interface Token {
  readonly content: string;
  attrJoin(name: string, value: string): void;
}

/** Longer words may have to wrap in a table, so that the table is not wider than its page. */
const MOST_CHARACTERS = 22;

/** Marks code whose words stay in one piece in a table, such as the name of an option. Lines break after spaces and hyphens. */
export function shortCode({ renderer: { rules } }: Markdown): void {
  const { code_inline: inlineCode } = rules;
  rules.code_inline = (tokens, index, ...rest) => {
    const token = tokens[index];
    const words = token?.content.split(/(?<=[\s-])/) ?? [];
    if (words.every(({ length }) => length <= MOST_CHARACTERS)) token?.attrJoin("class", "short");
    return inlineCode?.(tokens, index, ...rest) ?? "";
  };
}
