/** The part of markdown-it that is used here. */
interface Markdown {
  readonly renderer: { readonly rules: { table_open?: () => string } };
}

/** Lets the keyboard scroll tables that are wider than a small screen (WCAG 2.1.1). */
export function focusableTables({ renderer: { rules } }: Markdown): void {
  rules.table_open = () => '<table tabindex="0">';
}
