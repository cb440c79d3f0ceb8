import type { Recent, Sent } from "../wire.js";
import { element, svg } from "./dom.js";
import { HEIGHT, picture, type Span, stepAt } from "./picture.js";

type Point = Pick<Sent<Recent>["points"][number], "start" | "completed" | "failed">;

/** Draws a bar for each step: completed operations, with the failed ones on top. */
export function sparkline(
  points: readonly Point[],
  span: Span,
  ...marks: readonly SVGElement[]
): HTMLElement {
  const most = Math.max(1, ...points.map(({ completed, failed }) => completed + failed));
  const bars = points.flatMap((point) => barsOf(point, span, most));
  const text = element("span", { class: "unseen" }, sentenceOf(points));
  return element("span", { class: "sparkline" }, picture(span, ...bars, ...marks), text);
}

function barsOf(point: Point, span: Span, most: number): readonly SVGElement[] {
  const { start, completed, failed } = point;
  const x = Math.floor(stepAt(start, span));
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
