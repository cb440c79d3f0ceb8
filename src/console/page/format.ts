import type { BoundedCount } from "../../ports/operation-reads.js";
import { element } from "./dom.js";

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** Returns a duration with one or two digits of precision, such as `5 min`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? [1, "ms"];
  return `${Math.floor(ms / size).toLocaleString("en")} ${unit}`;
}

/** Returns a count, such as `10,000+`. */
export function counted({ count, more }: BoundedCount): string {
  return count.toLocaleString("en") + (more ? "+" : "");
}

/** Returns the time since then. The title is the exact time in the time zone of the browser, which it names. */
export function ago(at: string): HTMLElement {
  const text = `${duration(Math.max(0, Date.now() - Date.parse(at)))} ago`;
  return element("time", { datetime: at, title: localTime(at, "long") }, text);
}

/** Returns an exact time in the time zone of the browser. The title is in UTC. */
export function exactly(at: string): HTMLElement {
  return element("time", { datetime: at, title: at }, localTime(at, "medium"));
}

function localTime(at: string, timeStyle: "medium" | "long"): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle });
}
