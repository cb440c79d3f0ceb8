import type { Overview } from "../wire.js";
import { element } from "./dom.js";
import { urlOf, type View } from "./view.js";

/** Everything that the parts of the page share. */
export interface Page {
  readonly overview: Overview;
  readonly view: View;
  /** Shows another view. */
  go(view: View): void;
  /** Loads this view again. */
  reload(): Promise<void>;
  /** Returns false if a newer load has begun. */
  isCurrent(): boolean;
}

/** Creates a link to a view. A plain click stays on the page; others open a new tab, as for any link. */
export function viewLink(go: Page["go"], view: View, text: string, label?: string): HTMLAnchorElement {
  const link = element("a", { href: urlOf(view), "aria-label": label }, text);
  link.addEventListener("click", (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(view);
  });
  return link;
}
