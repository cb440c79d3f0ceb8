import type { Details, Sent, TimelineEntry } from "../wire.js";
import { type Child, element, svg } from "./dom.js";
import { exactDuration, exactly } from "./format.js";
import { operationLink, type Page } from "./view.js";

type Entry = Sent<TimelineEntry>;

/** Width of a bar in the units of the picture, which is as wide as there is room. */
const WIDTH = 1_000;
/** Even the shortest attempt can be seen. */
const NARROWEST = 6;

/** Events that end a wait or an attempt. */
const BARS: readonly Entry["event"][] = ["lost", "attempt-failed", "attempt-open", "completed", "failed"];

/** Shows what happened to an operation: each attempt is a bar from the end of the one before it to its own end. */
export function timelineOf(
  page: Page,
  { operation, timeline }: Pick<Sent<Details>, "operation" | "timeline">,
): HTMLElement {
  const from = Date.parse(operation.createdAt);
  const { finishedAt } = operation;
  const to = finishedAt === undefined ? Math.max(Date.now(), from) : Date.parse(finishedAt);
  let reached = from;
  const items = timeline.map((entry, index) => {
    const at = entry.at === undefined ? undefined : Date.parse(entry.at);
    const end = at ?? nextIn(timeline, index) ?? to;
    // The last attempt has its own bar if the operation failed with it.
    const isRepeated = entry.event === "failed" && end === reached && index > 1;
    const bar = BARS.includes(entry.event) && !isRepeated ? barOf({ from, to }, reached, end) : undefined;
    if (at !== undefined) reached = at;
    return itemOf(page, entry, { bar, offsetMs: at === undefined ? undefined : at - from });
  });
  return element("ol", { class: "timeline" }, ...items);
}

/** Returns when the next event whose time is known happened. */
function nextIn(timeline: readonly Entry[], index: number): number | undefined {
  const next = timeline.slice(index + 1).find(({ at }) => at !== undefined);
  return next?.at === undefined ? undefined : Date.parse(next.at);
}

function barOf(
  { from, to }: { readonly from: number; readonly to: number },
  start: number,
  end: number,
): Element {
  const place = (ms: number): number => (to === from ? 0 : ((ms - from) / (to - from)) * WIDTH);
  const width = Math.max(NARROWEST, place(end) - place(start));
  const x = Math.max(0, Math.min(place(start), WIDTH - width));
  const view = {
    viewBox: `0 0 ${WIDTH} 10`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
    class: "bar",
  };
  return svg(
    "svg",
    view,
    svg("rect", { class: "track", width: String(WIDTH), height: "10" }),
    svg("rect", { x: String(x), width: String(width), height: "10" }),
  );
}

function itemOf(
  page: Page,
  entry: Entry,
  { bar, offsetMs }: { readonly bar: Element | undefined; readonly offsetMs: number | undefined },
): HTMLElement {
  const { event, at, detail = "", other } = entry;
  const offset = offsetMs === undefined ? undefined : ` +${exactDuration(offsetMs)}`;
  return element(
    "li",
    { class: event },
    element(
      "span",
      { class: "when" },
      at === undefined ? "" : exactly(at),
      offset && element("b", {}, offset),
    ),
    bar ?? element("span", { class: "bar" }),
    element(
      "span",
      { class: "what" },
      ...sentenceOf(entry),
      other === undefined ? undefined : operationLink(page, other),
    ),
    detail === "" ? undefined : element("span", { class: "detail" }, detail),
  );
}

function sentenceOf({ event, attempt, other }: Entry): readonly Child[] {
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
