import { element } from "./dom.js";
import { listOf, type Page, urlOf, viewLink, withStatus } from "./view.js";

const NOTHING: Readonly<Record<string, string>> = {
  failed: "No operation has failed.",
  pending: "Nothing is waiting or running.",
  completed: "No operation has completed, or all of those have been deleted.",
  all: "There are no operations.",
};

/** Says why a list is empty, and what to do next. */
export function nothingFound({ view, go }: Page, hasMore: boolean): HTMLElement {
  if (hasMore) return element("p", { class: "empty" }, "None on this page. Older pages may have more.");
  const { show, status } = view;
  const unfiltered = listOf({ show, status });
  const isFiltered = urlOf({ ...view, cursor: "" }) !== urlOf(unfiltered);
  const links = [
    ...(isFiltered ? [viewLink(go, unfiltered, "Remove all filters")] : []),
    ...(status === "all" ? [] : [viewLink(go, withStatus(view, "all"), "List all operations")]),
  ];
  const sentence = isFiltered ? "No operations match." : (NOTHING[status] ?? "No operations match.");
  return element("div", { class: "empty" }, element("p", {}, sentence), element("p", {}, ...links));
}
