import { element } from "./dom.js";

/** Ids that were created in the same minute begin alike, so the end tells them apart. */
const SHOWN = 8;

/** Shows the end of an id. Copies of it, and people who listen to the page, get all of it. */
export function shortId(id: string): HTMLElement {
  const hidden = element("span", { class: "rest" }, id.slice(0, -SHOWN));
  return element("span", { class: "id", title: id }, hidden, id.slice(-SHOWN));
}
