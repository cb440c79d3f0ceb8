import type { OperationPage } from "../../operator/list.js";
import { messageOf } from "../../operator/message-of.js";
import type { OperationSummary } from "../../operator/views.js";
import type { Sent } from "../wire.js";
import { readList } from "./api.js";
import { openBulk } from "./bulk.js";
import { canRunAgain, choiceColumn, showChoice } from "./choice.js";
import { byId, type Column, element, table } from "./dom.js";
import { ago } from "./format.js";
import { bulkFilterOf, listFilterOf, listOf, type Page, viewLink } from "./view.js";

/** Shows a page of the list. */
export async function showList(page: Page): Promise<void> {
  const { view, go, isCurrent } = page;
  document.title = "Operations";
  const found = await readList(listFilterOf(view));
  if (!isCurrent()) return;
  byId("list-title").textContent = "List";
  const empty =
    found.cursor === undefined ? "No operations match." : "None on this page. Later pages may have more.";
  const rows =
    found.operations.length === 0
      ? element("p", {}, empty)
      : table("Operations, newest first", columns(page, found.operations), found.operations);
  byId("rows").replaceChildren(rows);
  showBulk(page);
  showChoice(page);
  byId("done").textContent = doneOf(found.operations);
  byId("pages").replaceChildren(
    ...(view.cursor === "" ? [] : [viewLink(go, { ...view, cursor: "" }, "Newest")]),
    ...nextLink(page, found),
  );
}

function nextLink({ view, go }: Page, { cursor }: Pick<OperationPage, "cursor">): readonly HTMLElement[] {
  return cursor === undefined ? [] : [viewLink(go, { ...view, cursor }, "Older")];
}

/** Counts the failures that still need attention, and those that were run again. */
function doneOf(operations: readonly Sent<OperationSummary>[]): string {
  const failed = operations.filter(({ status }) => status === "failed");
  const done = failed.filter(({ retriedBy }) => retriedBy !== undefined).length;
  return done === 0 ? "" : `Failed on this page: ${failed.length - done} open, ${done} run again.`;
}

function columns(
  page: Page,
  operations: readonly Sent<OperationSummary>[],
): readonly Column<Sent<OperationSummary>>[] {
  const { view, go, overview } = page;
  const principal: Column<Sent<OperationSummary>> = {
    title: "Principal",
    cell: (operation) => operation.principal,
  };
  const all: readonly Column<Sent<OperationSummary>>[] = [
    { title: "Status", cell: (operation) => statusInList(page, operation) },
    { title: "Definition", cell: ({ definition }) => definition },
    { title: "Tenant", cell: ({ tenant }) => tenant },
    ...(operations.some((operation) => operation.principal !== undefined) ? [principal] : []),
    { title: "Created", cell: ({ createdAt }) => ago(createdAt) },
    { title: "Attempts", cell: ({ attempt }) => String(attempt) },
    { title: "Reason", cell: reasonOf },
  ];
  const link: Column<Sent<OperationSummary>> = {
    title: "Operation",
    cell: ({ operationId }) => viewLink(go, { ...view, operationId }, operationId),
  };
  const choices = operations.some((each) => canRunAgain(overview, each)) ? [choiceColumn(page)] : [];
  return [...choices, link, ...all];
}

/** Creates the status of a row. A failure that was run again is done, and leads to its successor. */
function statusInList({ view, go }: Page, operation: Sent<OperationSummary>): HTMLElement {
  const { status, retriedBy } = operation;
  if (retriedBy === undefined) return statusOf(operation);
  const link = viewLink(go, { ...view, operationId: retriedBy }, "run again →", `Run again as ${retriedBy}`);
  return element("span", { class: "done" }, element("span", { class: "status" }, status), " ", link);
}

/** Creates the badge of a status. The color only repeats the text. */
export function statusOf({ status, retriedBy }: Sent<OperationSummary>): HTMLElement {
  const text = retriedBy === undefined ? status : `${status}, run again`;
  return element("span", { class: `status ${status}` }, text);
}

/** Returns why an operation failed, or is retried. */
function reasonOf({ error, lastError, status }: Sent<OperationSummary>): string {
  if (error === undefined) return status === "completed" ? "" : (lastError?.detail ?? "");
  const { name = error.type } = error;
  const detail = messageOf({ error, lastError });
  return detail === undefined ? name : `${name}: ${detail}`;
}

/** Offers to run everything in the list again, if there is a filter. */
function showBulk({ overview, view, reload }: Page): void {
  byId("bulk").hidden = !overview.operates || view.status !== "failed";
  const { internal: _, ...narrowing } = bulkFilterOf(view);
  const isEmpty = Object.keys(narrowing).length === 0;
  const open = byId<HTMLButtonElement>("bulk-open");
  open.disabled = isEmpty;
  open.onclick = () => openBulk(bulkFilterOf(view), reload);
  byId("bulk-hint").textContent = isEmpty
    ? "Filter by definition, tenant, principal, time, error or message first."
    : "";
}

/** Returns the list that a view of details came from. */
export function listBehind({ view }: Page): Page["view"] {
  return listOf({ ...view, operationId: "" });
}
