import type { Sent, SeriesPoint } from "../wire.js";
import { readSeries } from "./api.js";
import { type Backlog, backlogOf } from "./backlog.js";
import { tableOf } from "./chart-table.js";
import { element } from "./dom.js";
import { clockTime, duration } from "./format.js";
import { linesOf } from "./marks.js";
import { area, line, picture, type Span, spanOf, stepAt } from "./picture.js";
import { rangesOf } from "./ranges.js";
import { sparkline } from "./sparkline.js";
import type { Page } from "./view.js";

type Point = Sent<SeriesPoint>;

/** Durations that are shown, and what they are called. */
const TIMES = [
  ["total", "Time to the end"],
  ["waiting", "Waiting"],
  ["running", "Running"],
] as const;

/** Shows what happened to the definition of the view. Returns nothing if the back end keeps no counts. */
export async function chartsOf(page: Page): Promise<readonly HTMLElement[]> {
  const { overview, view } = page;
  const stats = overview.stats.find(({ definition }) => definition === view.definition);
  if (overview.recent === undefined || stats === undefined) return [];
  const { points, marks = [], ...range } = await readSeries(view.definition, view.range);
  const span = spanOf(range);
  const backlog = backlogOf(stats, points, span);
  const figure = (said: string, drawn: Element, kind = ""): HTMLElement =>
    element(
      "figure",
      { class: `chart ${kind}` },
      element("figcaption", { class: "note" }, said),
      drawn,
      element("p", { class: "axis", "aria-hidden": "true" }, clockTime(range.from), clockTime(range.to)),
    );
  // A shape has one place, so every chart has its own lines.
  const lines = (): readonly SVGElement[] => linesOf(marks, span);
  const legend = "Times: the median is solid, and what 95 % did not exceed is dashed.";
  return [
    element(
      "div",
      { id: "charts" },
      element("div", { class: "title" }, element("p", { class: "note" }, legend), rangesOf(page)),
      figure(throughputSentence(points, span), sparkline(points, span, ...lines()), "wide"),
      figure(backlogSentence(backlog), backlogPicture(backlog, span, lines())),
      ...TIMES.map(([name, title]) => figure(...timesOf(name, title, points, span, lines()))),
      tableOf({ points, marks, backlog, span }),
    ),
  ];
}

function throughputSentence(points: readonly Point[], { stepMs }: Span): string {
  const most = Math.max(0, ...points.map(({ completed, failed }) => completed + failed));
  return `Completed and failed. A bar is ${duration(stepMs)}, at most ${most.toLocaleString("en")}.`;
}

function backlogSentence({ values, more }: Backlog): string {
  const said = (count: number): string => (more ? "at least " : "") + count.toLocaleString("en");
  return `Backlog: ${said(values.at(-1) ?? 0)} now, ${said(Math.max(...values))} at its peak.`;
}

function backlogPicture({ values }: Backlog, span: Span, lines: readonly SVGElement[]): Element {
  return picture(span, area(values, Math.max(...values), "backlog"), ...lines);
}

function timesOf(
  name: (typeof TIMES)[number][0],
  title: string,
  points: readonly Point[],
  span: Span,
  lines: readonly SVGElement[],
): readonly [said: string, drawn: Element] {
  const values = (quantile: "p50Ms" | "p95Ms"): readonly (number | undefined)[] => {
    const found = new Map(
      points.map((point) => [Math.floor(stepAt(point.start, span)), point[name]?.[quantile]]),
    );
    return Array.from({ length: span.steps }, (_, step) => found.get(step));
  };
  const slow = values("p95Ms");
  const most = Math.max(0, ...slow.map((value) => value ?? 0));
  const drawn = picture(span, line(slow, most, "slow"), line(values("p50Ms"), most, "median"), ...lines);
  return [most === 0 ? `${title}: nothing to show.` : `${title}: up to ${duration(most)}.`, drawn];
}
