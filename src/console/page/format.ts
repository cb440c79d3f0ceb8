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

/** Returns a duration to the millisecond, such as `2 min 3.204 s`. */
export function exactDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const parts = UNITS.slice(0, 3).flatMap(([size, unit], index) => {
    const rest = index === 0 ? ms : ms % (UNITS[index - 1]?.[0] ?? 1);
    return rest >= size ? [`${Math.floor(rest / size)} ${unit}`] : [];
  });
  const seconds = (ms % 60_000) / 1_000;
  return [...parts, ...(seconds > 0 ? [`${seconds.toFixed(3)} s`] : [])].join(" ");
}

/** Returns a place in a row, such as `3rd`. */
export function ordinal(place: number): string {
  const suffixes: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };
  const form = new Intl.PluralRules("en", { type: "ordinal" }).select(place);
  return `${place.toLocaleString("en")}${suffixes[form] ?? "th"}`;
}

/** Returns a count, such as `10,000+`. */
export function counted({ count, more }: BoundedCount): string {
  return count.toLocaleString("en") + (more ? "+" : "");
}

/** Returns the time since then. The title is the exact time in the time zone of the browser, which it names. */
export function ago(at: string): HTMLElement {
  const text = `${duration(Math.max(0, Date.now() - Date.parse(at)))} ago`;
  return element("time", { datetime: at, title: localTime(at) }, text);
}

/** Returns the time of the day if it is today, or else the date. The title is the exact time. */
export function clockTime(at: string): HTMLElement {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const day = isToday ? {} : ({ month: "short", day: "numeric" } as const);
  const text = date.toLocaleString(undefined, { ...day, hour: "numeric", minute: "2-digit" });
  return element("time", { datetime: at, title: localTime(at) }, text);
}

/** Returns an exact time in the time zone of the browser, to the millisecond. The title is in UTC. */
export function exactly(at: string): HTMLElement {
  return element("time", { datetime: at, title: at }, TO_MILLISECONDS.format(new Date(at)));
}

const TO_MILLISECONDS = new Intl.DateTimeFormat(undefined, {
  ...{ year: "numeric", month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
});

/** Returns an exact time in the time zone of the browser, which it names. */
export function localTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
}
