/** The part of markdown-it that is used here. */
interface Markdown {
  readonly renderer: { readonly rules: { fence?: Fence } };
}

type Fence = (tokens: readonly FenceToken[], index: number, ...rest: unknown[]) => string;

interface FenceToken {
  readonly info: string;
  readonly content: string;
}

/** Replaces Mermaid blocks by the component that draws them. GitHub draws them itself. */
export function diagrams({ renderer: { rules } }: Markdown): void {
  const { fence } = rules;
  rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, ...rest) ?? "";
    return `<Diagram name="diagram-${index}" source="${encodeURIComponent(token.content)}" />`;
  };
}
