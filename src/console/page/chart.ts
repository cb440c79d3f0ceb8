import { element } from "./dom.js";
import { clockTime } from "./format.js";
import { type Span, sparkline, tableOf } from "./sparkline.js";
import type { Page } from "./view.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Returns the hour that ends with this minute, in steps of a minute. */
export function lastHour(): Span {
  const to = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS;
  return { from: to - HOUR_MS, to, step: MINUTE_MS };
}

/** Shows what completed and failed of the definition of the view. */
export function chartOf({ overview, view }: Page): HTMLElement {
  if (overview.series === undefined) return element("div");
  const points = overview.series.filter(({ definition }) => definition === view.definition);
  const span = lastHour();
  const ends = [span.from, span.to].map((ms) => clockTime(new Date(ms).toISOString()));
  return element(
    "div",
    { class: "chart" },
    element("h3", {}, "Completed and failed by minute"),
    element("p", { class: "note" }, `At most ${mostIn(points).toLocaleString("en")} in a minute.`),
    sparkline(points, span),
    element("p", { class: "axis", "aria-hidden": "true" }, ...ends),
    tableOf(points),
  );
}

function mostIn(points: readonly { readonly completed: number; readonly failed: number }[]): number {
  return Math.max(0, ...points.map(({ completed, failed }) => completed + failed));
}
