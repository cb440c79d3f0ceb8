/** The part of markdown-it that is used here. */
interface Markdown {
  readonly renderer: { readonly rules: { fence?: Fence } };
}

type Fence = (
  tokens: unknown,
  index: unknown,
  options: unknown,
  env: { readonly relativePath?: string },
  ...rest: unknown[]
) => string;

/** Leaves the code of the home page out of its text. The site shows it at the top, beside the name. */
export function firstProgram({ renderer: { rules } }: Markdown): void {
  const { fence } = rules;
  rules.fence = (tokens, index, options, env, ...rest) =>
    env.relativePath === "index.md" ? "" : (fence?.(tokens, index, options, env, ...rest) ?? "");
}
