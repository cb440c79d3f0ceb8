import type { TimelineEntry } from "../wire.js";
import { type Child, element } from "./dom.js";
import { exactly } from "./format.js";
import { type Page, viewLink } from "./page.js";

/** Creates the list of what happened to an operation. */
export function timeline({ go, view }: Page, entries: readonly TimelineEntry[]): HTMLElement {
  const items = entries.map((entry) => {
    const { event, at, detail, other } = entry;
    return element(
      "li",
      { class: event },
      element("span", { class: "when" }, at === undefined ? "" : exactly(at)),
      element(
        "span",
        {},
        ...sentenceOf(entry),
        other === undefined ? undefined : viewLink(go, { ...view, id: other }, other),
      ),
      detail === undefined || detail === "" ? undefined : element("span", { class: "detail" }, detail),
    );
  });
  return element("ol", { class: "timeline" }, ...items);
}

function sentenceOf({ event, attempt, other }: TimelineEntry): readonly Child[] {
  switch (event) {
    case "accepted":
      return [other === undefined ? "Accepted" : "Created to run again "];
    case "omitted":
      return [`The errors of attempts up to ${attempt} are no longer kept`];
    case "lost":
      return [`Attempt ${attempt} lost its lease, so its outcome is not known`];
    case "attempt-failed":
      return [`Attempt ${attempt} failed`];
    case "attempt-open":
      return [`Attempt ${attempt} began and has not ended yet`];
    case "completed":
      return [`Completed in attempt ${attempt}`];
    case "failed":
      return ["Failed"];
    case "redriven":
      return ["Run again as "];
  }
}
