import type { OperationPage } from "../../operator/list.js";
import type { OperationSummary } from "../../operator/views.js";
import { readList } from "./api.js";
import { openBulk } from "./bulk.js";
import { byId, type Column, element, table } from "./dom.js";
import { ago, problemName } from "./format.js";
import { bulkFilterOf, listFilterOf, listOf, type Page, viewLink } from "./view.js";

/** Shows a page of the list. */
export async function showList(page: Page): Promise<void> {
  const { overview, view, go, isCurrent } = page;
  document.title = "Operations";
  if (!overview.supports.list) {
    byId("filters").hidden = true;
    byId("rows").replaceChildren(element("p", {}, "This back end cannot list operations."));
    return;
  }
  const found = await readList(listFilterOf(view));
  if (!isCurrent()) return;
  const empty =
    found.cursor === undefined ? "No operations match." : "None on this page. Later pages may have more.";
  const rows =
    found.operations.length === 0
      ? element("p", {}, empty)
      : table("Operations, newest first", columns(page), found.operations);
  byId("rows").replaceChildren(rows);
  showBulk(page);
  byId("pages").replaceChildren(
    ...(view.cursor === "" ? [] : [viewLink(go, { ...view, cursor: "" }, "Newest")]),
    ...nextLink(page, found),
  );
}

function nextLink({ view, go }: Page, { cursor }: OperationPage): readonly HTMLElement[] {
  return cursor === undefined ? [] : [viewLink(go, { ...view, cursor }, "Older")];
}

function columns({ view, go, overview }: Page): readonly Column<OperationSummary>[] {
  const all: readonly Column<OperationSummary>[] = [
    { title: "State", cell: (operation) => stateOf(operation) },
    { title: "Definition", cell: ({ definition }) => definition },
    { title: "Tenant", cell: ({ tenant }) => tenant },
    { title: "Created", cell: ({ createdAt }) => ago(createdAt) },
    { title: "Attempts", cell: ({ attempt }) => String(attempt) },
    { title: "Reason", cell: reasonOf },
  ];
  const link: Column<OperationSummary> = {
    title: "Operation",
    cell: ({ operationId: id }) => viewLink(go, { ...view, id }, id),
  };
  return overview.supports.get ? [link, ...all] : all;
}

/** Creates the badge of a state. The color only repeats the text. */
export function stateOf({ state, retriedBy }: OperationSummary): HTMLElement {
  const text = retriedBy === undefined ? state : `${state}, run again`;
  return element("span", { class: `state ${state}` }, text);
}

/** Returns why an operation failed, or is retried. If all attempts failed, the error of the last one says more. */
function reasonOf({ error, lastError, state }: OperationSummary): string {
  if (error === undefined) return state === "completed" ? "" : (lastError?.detail ?? "");
  const type = problemName(error.type);
  const detail = type === "attempts-exhausted" ? (lastError?.detail ?? error.detail) : error.detail;
  return detail === undefined ? type : `${type}: ${detail}`;
}

/** Offers to run everything in the list again, if there is a filter. */
function showBulk({ overview, view, reload }: Page): void {
  const { operates, supports } = overview;
  byId("bulk").hidden = !operates || !supports.redrive || view.state !== "failed";
  const { internal: _, ...narrowing } = bulkFilterOf(view);
  const isEmpty = Object.keys(narrowing).length === 0;
  const open = byId<HTMLButtonElement>("bulk-open");
  open.disabled = isEmpty;
  open.onclick = () => openBulk(bulkFilterOf(view), reload);
  byId("bulk-hint").textContent = isEmpty ? "Choose a definition, tenant, time or error first." : "";
}

/** Returns the list that a view of details came from. */
export function listBehind({ view }: Page): Page["view"] {
  return listOf({ ...view, id: "" });
}
