import { element } from "./dom.js";
import { type Page, type View, viewLink } from "./view.js";

const RANGES: readonly (readonly [range: string, label: string])[] = [
  ["hour", "1 h"],
  ["day", "24 h"],
  ["week", "7 d"],
];

/** Returns the range of a view, such as `24 h`. */
export function rangeName({ range }: View): string {
  return RANGES.find(([name]) => name === range)?.[1] ?? range;
}

/** Creates the switch between the ranges. */
export function rangesOf({ view, go }: Page): HTMLElement {
  const links = RANGES.map(([range, label]) => {
    const current = range === view.range ? "page" : undefined;
    return viewLink(go, { ...view, range }, label, { "aria-current": current });
  });
  return element("nav", { class: "ranges", "aria-label": "Range of the charts" }, ...links);
}
