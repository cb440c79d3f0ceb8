import { byId, element } from "./dom.js";
import { exactly } from "./format.js";
import { isOfFailures, listOf, type Page, type View, viewLink } from "./view.js";

type Filter = Exclude<keyof View, "show" | "status" | "cursor" | "range" | "operationId">;

/** Names of filters as the page shows them. */
export const FILTER_NAMES: Readonly<Record<Filter, string>> = {
  definition: "Definition",
  tenant: "Tenant",
  principal: "Principal",
  createdFrom: "Created from",
  createdBefore: "Created before",
  errorType: "Error",
  message: "Message",
  words: "Words",
  open: "Only open failures",
  internal: "Internal operations",
};

const FLAGS: readonly Filter[] = ["open", "internal"];
const TIMES: readonly Filter[] = ["createdFrom", "createdBefore"];
const OF_FAILURES: readonly Filter[] = ["errorType", "message", "words", "open"];

/** Shows what the list is filtered by. Each filter can be removed. */
export function showChips({ view, go }: Page): void {
  const filters = (Object.keys(FILTER_NAMES) as Filter[]).filter((name) => isSet(view, name));
  const chips = filters.map((name) => {
    const without = viewLink(go, { ...view, [name]: "", cursor: "" }, "×", {
      "aria-label": `Remove the filter: ${textOf(view, name)}`,
    });
    return element("li", { class: "chip" }, ...contentOf(view, name), without);
  });
  const { show, status } = view;
  const all = element("li", {}, viewLink(go, listOf({ show, status }), "Remove all"));
  byId("chips").replaceChildren(...chips, ...(chips.length > 1 ? [all] : []));
}

function isSet(view: View, name: Filter): boolean {
  return view[name] !== "" && (isOfFailures(view) || !OF_FAILURES.includes(name));
}

function contentOf(view: View, name: Filter): readonly (Node | string)[] {
  if (FLAGS.includes(name)) return [FILTER_NAMES[name]];
  const isTime = TIMES.includes(name) && !Number.isNaN(Date.parse(view[name]));
  const value = isTime ? exactly(view[name]) : view[name];
  return [element("span", { class: "note" }, FILTER_NAMES[name]), " ", value];
}

function textOf(view: View, name: Filter): string {
  return FLAGS.includes(name) ? FILTER_NAMES[name] : `${FILTER_NAMES[name]} ${view[name]}`;
}
