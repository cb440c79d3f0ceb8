import type { Overview, Sent } from "../wire.js";
import type { BulkFilter } from "./api.js";
import { element } from "./dom.js";

/** The list or operation that the page shows. All of it is in the URL, so it can be shared, and Back and Forward work. */
export interface View {
  /** `list`, or `failures` for groups of failures. */
  readonly show: string;
  readonly status: string;
  readonly definition: string;
  readonly tenant: string;
  readonly principal: string;
  /** RFC 3339, or empty. */
  readonly createdFrom: string;
  readonly createdBefore: string;
  readonly errorType: string;
  /** Message of failures, as a group of them has it. */
  readonly message: string;
  /** `true` leaves out failures that were run again. */
  readonly open: string;
  readonly internal: string;
  readonly cursor: string;
  /** Id of the operation whose details are shown. */
  readonly operationId: string;
}

/** Failed operations come first, because someone has to look at them, and because every back end has an index for them. */
const DEFAULTS: View = {
  show: "list",
  status: "failed",
  definition: "",
  tenant: "",
  principal: "",
  createdFrom: "",
  createdBefore: "",
  errorType: "",
  message: "",
  open: "",
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

/** Returns the filter of a view as a bulk redrive takes it. */
export function bulkFilterOf(view: View): BulkFilter {
  const { definition, tenant, principal, createdFrom, createdBefore, errorType, message, internal } = view;
  const texts = { definition, tenant, principal, createdFrom, createdBefore, errorType, message };
  const given = Object.entries(texts).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(given), ...(internal === "" ? {} : { internal: true }) };
}

/** Returns the filter of a view as the list takes it. Only failed operations have a type of error and a message. */
export function listFilterOf(view: View): URLSearchParams {
  const { status, cursor } = view;
  const filter = bulkFilterOf(status === "failed" ? view : { ...view, errorType: "", message: "" });
  const members = Object.entries(filter).map(([name, value]) => [name, String(value)]);
  const open = status === "failed" ? view.open : "";
  const own = { status: status === "all" ? "" : status, open, cursor };
  return new URLSearchParams([...members, ...Object.entries(own)]);
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
