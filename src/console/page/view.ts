import type { Overview, Sent } from "../wire.js";
import type { BulkFilter } from "./api.js";
import { element } from "./dom.js";
import { shortId } from "./ids.js";

/** The list or operation that the page shows. All of it is in the URL, so it can be shared, and Back and Forward work. */
export interface View {
  /** `overview` of all definitions or of one, `list`, or `failures` for groups of failures. */
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
  /** Words that the reasons of failures have, in any order. */
  readonly words: string;
  /** `true` leaves out failures that were run again. */
  readonly open: string;
  readonly internal: string;
  readonly cursor: string;
  /** Length of the chart of a definition: `hour`, `day` or `week`. */
  readonly range: string;
  /** Id of the operation whose details are shown. */
  readonly operationId: string;
}

/** Failed operations come first, because someone has to look at them, and because every back end has an index for them. */
const DEFAULTS: View = {
  show: "overview",
  status: "failed",
  definition: "",
  tenant: "",
  principal: "",
  createdFrom: "",
  createdBefore: "",
  errorType: "",
  message: "",
  words: "",
  open: "",
  internal: "",
  cursor: "",
  range: "hour",
  operationId: "",
};

/** Members that only failures have. */
const OF_FAILURES = { errorType: "", message: "", words: "", open: "" } as const;

/** Returns the view that the URL names. A URL with nothing but a filter names a list. */
export function readView(): View {
  const query = new URLSearchParams(location.search);
  const defaults = query.size === 0 ? DEFAULTS : { ...DEFAULTS, show: "list" };
  const members = Object.entries(defaults).map(([name, fallback]) => [name, query.get(name) ?? fallback]);
  return Object.fromEntries(members) as View;
}

/** Returns the relative URL of a view. */
export function urlOf({ show, ...view }: View): string {
  const differing = Object.entries(view).filter(([name, value]) => value !== DEFAULTS[name as keyof View]);
  const isFirst = show === DEFAULTS.show && differing.length === 0;
  return `?${new URLSearchParams(isFirst ? [] : [["show", show], ...differing])}`;
}

/** Returns the first page of a list. Members that are not given have their default. */
export function listOf(members: Partial<View> = {}): View {
  return { ...DEFAULTS, show: "list", ...members };
}

/** Returns the overview of a definition, or of all of them. */
export function overviewOf(definition = ""): View {
  return { ...DEFAULTS, definition };
}

/** Returns a view with another status, without the filters that do not fit it. */
export function withStatus(view: View, status: string): View {
  const fitting = status === "failed" ? view : { ...view, ...OF_FAILURES };
  return { ...fitting, show: "list", status, cursor: "" };
}

/** Returns whether a view shows failures, alone or in groups. */
export function isOfFailures({ show, status }: View): boolean {
  return show === "failures" || status === "failed";
}

/** Returns the filter of a view as a bulk redrive takes it. */
export function bulkFilterOf(view: View): BulkFilter {
  const { definition, tenant, principal, createdFrom, createdBefore, errorType, message, internal } = view;
  const texts = { definition, tenant, principal, createdFrom, createdBefore, errorType, message };
  const given = Object.entries(texts).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(given), ...(internal === "" ? {} : { internal: true }) };
}

/** Returns the filter of a view as the list takes it. Only failures have a type of error and a message. */
export function listFilterOf(view: View): URLSearchParams {
  const { status, cursor } = view;
  const { words, open, ...fitting } = isOfFailures(view) ? view : { ...view, ...OF_FAILURES };
  const filter = bulkFilterOf({ ...fitting, words, open });
  const members = Object.entries(filter).map(([name, value]) => [name, String(value)]);
  const own = { status: status === "all" ? "" : status, words, open, cursor };
  return new URLSearchParams([...members, ...Object.entries(own)]);
}

/** Everything that the parts of the page share. */
export interface Page {
  readonly overview: Sent<Overview>;
  readonly view: View;
  /** Whether the page refreshes itself, without being asked. */
  readonly inBackground: boolean;
  /** Shows another view. */
  go(view: View): void;
  /** Loads this view again. */
  reload(): Promise<void>;
  /** Returns false if a newer load has begun. */
  isCurrent(): boolean;
}

/** Creates a link to a view. A plain click stays on the page; others open a new tab, as for any link. */
export function viewLink(
  go: Page["go"],
  view: View,
  content: string | Node,
  attributes: Readonly<Record<string, string | undefined>> = {},
): HTMLAnchorElement {
  const link = element("a", { href: urlOf(view), ...attributes }, content);
  onPlainClick(link, () => go(view));
  return link;
}

/** Creates a link to an operation. */
export function operationLink({ go, view }: Page, operationId: string): HTMLAnchorElement {
  return viewLink(go, { ...view, operationId }, shortId(operationId));
}

/** Runs an action instead of following a link, unless the click opens a new tab. */
export function onPlainClick(link: HTMLAnchorElement, action: () => void): void {
  link.addEventListener("click", (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    action();
  });
}
