import type { Overview, Sent } from "../wire.js";
import type { BulkFilter } from "./api.js";
import { element } from "./dom.js";

/** The list or operation that the page shows. All of it is in the URL, so it can be shared, and Back and Forward work. */
export interface View {
  readonly status: string;
  readonly definition: string;
  readonly tenant: string;
  readonly age: string;
  readonly errorType: string;
  readonly internal: string;
  readonly cursor: string;
  /** Id of the operation whose details are shown. */
  readonly operationId: string;
}

/** Failed operations come first, because someone has to look at them, and because every back end has an index for them. */
const DEFAULTS: View = {
  status: "failed",
  definition: "",
  tenant: "",
  age: "",
  errorType: "",
  internal: "",
  cursor: "",
  operationId: "",
};

export const STATUSES: readonly (readonly [value: string, label: string])[] = [
  ["failed", "Failed"],
  ["pending", "Unfinished"],
  ["completed", "Completed"],
  ["all", "All"],
];

const HOUR_MS = 3_600_000;

interface Age {
  readonly label: string;
  readonly ms: number;
  readonly bound: "createdFrom" | "createdBefore";
}

const AGES: Readonly<Record<string, Age>> = {
  hour: { label: "In the last hour", ms: HOUR_MS, bound: "createdFrom" },
  day: { label: "In the last day", ms: 24 * HOUR_MS, bound: "createdFrom" },
  week: { label: "In the last 7 days", ms: 168 * HOUR_MS, bound: "createdFrom" },
  "over-hour": { label: "More than an hour ago", ms: HOUR_MS, bound: "createdBefore" },
  "over-day": { label: "More than a day ago", ms: 24 * HOUR_MS, bound: "createdBefore" },
};

export const AGE_OPTIONS: readonly (readonly [value: string, label: string])[] = [
  ["", "At any time"],
  ...Object.entries(AGES).map(([value, { label }]) => [value, label] as const),
];

/** Returns the view that the URL names. */
export function readView(): View {
  const query = new URLSearchParams(location.search);
  const members = Object.entries(DEFAULTS).map(([name, fallback]) => [name, query.get(name) ?? fallback]);
  return Object.fromEntries(members) as View;
}

/** Returns the relative URL of a view. */
export function urlOf(view: View): string {
  const differing = Object.entries(view).filter(([name, value]) => value !== DEFAULTS[name as keyof View]);
  return `?${new URLSearchParams(differing)}`;
}

/** Returns the first page of a list. Members that are not given have their default. */
export function listOf(members: Partial<View> = {}): View {
  return { ...DEFAULTS, ...members };
}

/** Returns the filter of a view as a bulk redrive takes it. The age is relative to now. */
export function bulkFilterOf({ definition, tenant, age, errorType, internal }: View): BulkFilter {
  const known = AGES[age];
  return {
    ...(definition === "" ? {} : { definition }),
    ...(tenant === "" ? {} : { tenant }),
    ...(errorType === "" ? {} : { errorType }),
    ...(internal === "" ? {} : { internal: true }),
    ...(known === undefined ? {} : { [known.bound]: new Date(Date.now() - known.ms).toISOString() }),
  };
}

/** Returns the filter of a view as the list takes it. Only failed operations have a type of error. */
export function listFilterOf(view: View): URLSearchParams {
  const { status, cursor } = view;
  const filter = bulkFilterOf(status === "failed" ? view : { ...view, errorType: "" });
  const members = Object.entries(filter).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams([...members, ["status", status === "all" ? "" : status], ["cursor", cursor]]);
}

/** Everything that the parts of the page share. */
export interface Page {
  readonly overview: Sent<Overview>;
  readonly view: View;
  /** Shows another view. */
  go(view: View): void;
  /** Loads this view again. */
  reload(): Promise<void>;
  /** Returns false if a newer load has begun. */
  isCurrent(): boolean;
}

/** Creates a link to a view. A plain click stays on the page; others open a new tab, as for any link. */
export function viewLink(go: Page["go"], view: View, text: string, label?: string): HTMLAnchorElement {
  const link = element("a", { href: urlOf(view), "aria-label": label }, text);
  link.addEventListener("click", (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(view);
  });
  return link;
}
