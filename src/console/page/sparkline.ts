import type { Sent, SeriesPoint } from "../wire.js";
import { element, svg } from "./dom.js";
import { clockTime } from "./format.js";

type Point = Sent<SeriesPoint>;

/** Time that a chart covers. Milliseconds since the epoch, and between the beginnings of two bars. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Height of a chart in the units of its picture. */
const HEIGHT = 24;

/** Draws a bar for each step: completed operations, with the failed ones on top. */
export function sparkline(points: readonly Point[], span: Span): HTMLElement {
  const steps = Math.ceil((span.to - span.from) / span.step);
  const most = Math.max(1, ...points.map(({ completed, failed }) => completed + failed));
  const rects = points.flatMap((point) => barsOf(point, span, most));
  const view = { viewBox: `0 0 ${steps} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const base = { class: "base", y: String(HEIGHT - 0.75), width: String(steps), height: "0.75" };
  const text = element("span", { class: "unseen" }, sentenceOf(points));
  return element("span", { class: "sparkline" }, svg("svg", view, svg("rect", base), ...rects), text);
}

function barsOf(
  { start, completed, failed }: Point,
  { from, step }: Span,
  most: number,
): readonly SVGElement[] {
  const x = Math.floor((Date.parse(start) - from) / step);
  const [good, bad] = [(completed / most) * HEIGHT, (failed / most) * HEIGHT];
  const bar = (kind: string, y: number, height: number): SVGElement[] =>
    height === 0
      ? []
      : [svg("rect", { class: kind, x: String(x), y: String(y), width: "0.8", height: String(height) })];
  return [...bar("completed", HEIGHT - good, good), ...bar("failed", HEIGHT - good - bad, bad)];
}

function sentenceOf(points: readonly Point[]): string {
  const total = (name: "completed" | "failed"): string =>
    points.reduce((sum, point) => sum + point[name], 0).toLocaleString("en");
  return `${total("completed")} completed, ${total("failed")} failed`;
}

/** Creates a table of what a chart shows. It is closed, because most people see the chart. */
export function tableOf(points: readonly Point[]): HTMLElement {
  const head = ["From", "Completed", "Failed"].map((title) => element("th", { scope: "col" }, title));
  const rows = points.map(({ start, completed, failed }) =>
    element(
      "tr",
      {},
      element("td", {}, clockTime(start)),
      ...[completed, failed].map((count) => element("td", {}, count.toLocaleString("en"))),
    ),
  );
  const table = element(
    "table",
    { class: "plain" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
  return element("details", {}, element("summary", {}, "Show the chart as a table"), table);
}
