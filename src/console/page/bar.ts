import { svg } from "./dom.js";

/** A time in which an operation waited or ran, or in which it is not known what it did. Epoch milliseconds. */
export interface Span {
  readonly kind: "wait" | "run" | "gap";
  readonly start: number;
  readonly end: number;
}

/** Width of a bar in the units of the picture, which is as wide as there is room. */
const WIDTH = 1_000;
/** Even the shortest attempt can be seen. */
const NARROWEST = 6;

/** Draws spans on an axis of time. */
export function barOf(
  { from, to }: { readonly from: number; readonly to: number },
  spans: readonly Span[],
): Element {
  const view = {
    ...{ viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none" },
    ...{ "aria-hidden": "true", class: "bar" },
  };
  const place = (ms: number): number => (to === from ? 0 : ((ms - from) / (to - from)) * WIDTH);
  const rects = spans.map(({ kind, start, end }) => {
    const width = Math.max(kind === "wait" ? 0 : NARROWEST, place(end) - place(start));
    const x = Math.max(0, Math.min(place(start), WIDTH - width));
    return svg("rect", { class: kind, x: String(x), width: String(width), height: "10" });
  });
  return svg("svg", view, svg("rect", { class: "track", width: String(WIDTH), height: "10" }), ...rects);
}
