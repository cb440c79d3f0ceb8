import { readSeries } from "./api.js";
import { element } from "./dom.js";
import { clockTime, duration } from "./format.js";
import { type Span, sparkline, tableOf } from "./sparkline.js";
import { type Page, viewLink } from "./view.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const RANGES: readonly (readonly [range: string, label: string])[] = [
  ["hour", "1 h"],
  ["day", "24 h"],
  ["week", "7 d"],
];

/** Returns the hour that ends with this minute, in steps of a minute. */
export function lastHour(): Span {
  const to = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS;
  return { from: to - HOUR_MS, to, step: MINUTE_MS };
}

/** Shows what completed and failed of the definition of the view. Returns nothing if the back end keeps no counts. */
export async function chartOf(page: Page): Promise<readonly HTMLElement[]> {
  const { overview, view } = page;
  if (overview.series === undefined) return [];
  const { from, to, stepMs, points } = await readSeries(view.definition, view.range);
  const span = { from: Date.parse(from), to: Date.parse(to), step: stepMs };
  const most = Math.max(0, ...points.map(({ completed, failed }) => completed + failed));
  const said = `Completed and failed. A bar is ${duration(stepMs)}, at most ${most.toLocaleString("en")}.`;
  const chart = element(
    "div",
    { class: "chart" },
    element("div", { class: "title" }, element("p", { class: "note" }, said), rangesOf(page)),
    sparkline(points, span),
    element("p", { class: "axis", "aria-hidden": "true" }, clockTime(from), clockTime(to)),
    tableOf(points),
  );
  return [chart];
}

function rangesOf({ view, go }: Page): HTMLElement {
  const links = RANGES.map(([range, label]) => {
    const current = range === view.range ? "page" : undefined;
    return viewLink(go, { ...view, range }, label, { "aria-current": current });
  });
  return element("nav", { class: "ranges", "aria-label": "Range of the chart" }, ...links);
}
