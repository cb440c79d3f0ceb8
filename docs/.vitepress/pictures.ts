/** The part of markdown-it that is used here. */
interface Markdown {
  readonly renderer: { readonly rules: { html_block?: HtmlBlock } };
}

type HtmlBlock = (...args: unknown[]) => string;

const PICTURE =
  /<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img ([^>]*)src="([^"]+)"([^>]*)>\s*<\/picture>/g;

/** Makes a `<picture>` with a source for the dark scheme follow the scheme of the page. By itself, it follows the system's. */
export function pictures({ renderer: { rules } }: Markdown): void {
  const { html_block: htmlBlock } = rules;
  rules.html_block = (...args) =>
    (htmlBlock?.(...args) ?? "").replaceAll(
      PICTURE,
      (_all, dark: string, before: string, light: string, after: string) =>
        [
          ["only-light", light],
          ["only-dark", dark],
        ]
          .map(([scheme, path = ""]) => `<img class="${scheme}" ${before}src="${toPublic(path)}"${after}>`)
          .join(""),
    );
}

/** The site serves files of `public` at its root. */
function toPublic(path: string): string {
  return path.replace(/^(\.\/)?public\//, "/");
}
