import { byId } from "./dom.js";
import { listOf, type Page, readView, type View } from "./view.js";

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

const field = (): HTMLInputElement => byId<HTMLInputElement>("search-field");

/** Lets the search field, and an id that is pasted anywhere on the page, lead to what they name. */
export function startSearch(go: Page["go"]): void {
  byId<HTMLFormElement>("search").addEventListener("submit", (event) => {
    event.preventDefault();
    go(viewOf(field().value, readView()));
  });
  addEventListener("paste", (event) => {
    const operationId = idIn(event.clipboardData?.getData("text") ?? "");
    if (operationId === undefined || isOtherField(event.target)) return;
    event.preventDefault();
    go({ ...readView(), operationId });
  });
}

/** Shows the words of a view in the search field, unless someone is typing. */
export function showSearch({ words }: View): void {
  if (document.activeElement !== field()) field().value = words;
}

/** Returns the view that a search leads to. Words stay in the list, or lead to the groups of failures. */
function viewOf(text: string, view: View): View {
  const operationId = idIn(text);
  if (operationId !== undefined) return { ...view, operationId };
  const isFailed = view.show === "list" && view.status === "failed" && view.operationId === "";
  const words = text.trim();
  if (isFailed) return { ...view, words, cursor: "" };
  return listOf({ show: "failures", words });
}

/** Returns the only id in a text, such as one line of a log. */
function idIn(text: string): string | undefined {
  const [id, ...others] = new Set(text.match(ID));
  return others.length === 0 ? id?.toLowerCase() : undefined;
}

/** A tenant can have such an id too. */
function isOtherField(target: EventTarget | null): boolean {
  return target instanceof Element && target !== field() && target.matches("input, select, textarea");
}
