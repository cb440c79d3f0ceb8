import type { Range, Sent } from "../wire.js";
import { svg } from "./dom.js";

/** Time that a picture covers, in steps. Milliseconds since the epoch, and between the starts of two steps. */
export interface Span {
  readonly from: number;
  readonly stepMs: number;
  /** Number of steps. */
  readonly steps: number;
}

/** Height of a picture in its own units. It is as wide as it has steps, and is stretched to the room that there is. */
export const HEIGHT = 24;

/** Returns the span of a range. */
export function spanOf({ from, to, stepMs }: Sent<Range>): Span {
  const start = Date.parse(from);
  return { from: start, stepMs, steps: Math.ceil((Date.parse(to) - start) / stepMs) };
}

/** Returns how many steps after the start of the span a time is. */
export function stepAt(at: string, { from, stepMs }: Span): number {
  return (Date.parse(at) - from) / stepMs;
}

/** Creates a picture. People who do not see it need its content as text. */
export function picture({ steps }: Span, ...shapes: readonly SVGElement[]): SVGElement {
  const view = { viewBox: `0 0 ${steps} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const base = { class: "base", y: String(HEIGHT - 0.75), width: String(steps), height: "0.75" };
  return svg("svg", view, svg("rect", base), ...shapes);
}

/** Draws a value for each step as a level. Levels of neighbors are connected, and a step without a value is a gap. */
export function line(values: readonly (number | undefined)[], most: number, kind: string): SVGElement {
  const path = values.map((value, step) => {
    if (value === undefined) return "";
    const y = heightOf(value, most);
    return values[step - 1] === undefined ? `M${step} ${y}h1` : `V${y}h1`;
  });
  return svg("path", { class: kind, d: path.join("") });
}

/** Draws a value for each step as an area. */
export function area(values: readonly number[], most: number, kind: string): SVGElement {
  const path = values.map((value) => `V${heightOf(value, most)}h1`);
  return svg("path", { class: kind, d: `M0 ${HEIGHT}${path.join("")}V${HEIGHT}z` });
}

/** The highest level leaves room for the thickness of a line. */
function heightOf(value: number, most: number): number {
  return HEIGHT - Math.round((value / Math.max(1, most)) * (HEIGHT - 1) * 100) / 100;
}
