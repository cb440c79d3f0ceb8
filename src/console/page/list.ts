import type { OperationPage } from "../../operator/list.js";
import type { OperationSummary } from "../../operator/summary.js";
import type { Sent } from "../wire.js";
import { readList } from "./api.js";
import { openBulk } from "./bulk.js";
import { canRunAgain, choiceColumn, showChoice } from "./choice.js";
import { button, byId, type Column, element } from "./dom.js";
import { ago, duration } from "./format.js";
import { shortId } from "./ids.js";
import { nothingFound } from "./nothing-found.js";
import { reasonOf } from "./reason.js";
import { foldedTable } from "./rows.js";
import { bulkFilterOf, listFilterOf, listOf, type Page, viewLink } from "./view.js";

type Listed = Sent<OperationSummary>;

const TITLES: Readonly<Record<string, string>> = {
  failed: "Failed operations",
  pending: "Unfinished operations",
  completed: "Completed operations",
  all: "All operations",
};

/** Shows a page of the list. */
export async function showList(page: Page): Promise<void> {
  const { view, go, isCurrent } = page;
  const title = TITLES[view.status] ?? "Operations";
  document.title = title;
  const found = await readList(listFilterOf(view));
  if (!isCurrent()) return;
  byId("list-title").textContent = title;
  const { operations, cursor } = found;
  byId("rows").replaceChildren(
    operations.length === 0
      ? nothingFound(page, cursor !== undefined)
      : foldedTable("Operations, newest first", columns(page, operations), operations),
  );
  showBulk(page, operations.length > 0);
  showChoice(page);
  byId("done").textContent = doneOf(operations);
  byId("pages").replaceChildren(
    ...(view.cursor === "" ? [] : [viewLink(go, { ...view, cursor: "" }, "Newest")]),
    ...nextLink(page, found),
  );
}

function nextLink({ view, go }: Page, { cursor }: Pick<OperationPage, "cursor">): readonly HTMLElement[] {
  return cursor === undefined ? [] : [viewLink(go, { ...view, cursor }, "Older")];
}

/** Counts the failures that still need attention, and those that were run again. */
function doneOf(operations: readonly Listed[]): string {
  const failed = operations.filter(({ status }) => status === "failed");
  const done = failed.filter(({ retriedBy }) => retriedBy !== undefined).length;
  return done === 0 ? "" : `Failed on this page: ${failed.length - done} open, ${done} run again.`;
}

function columns(page: Page, operations: readonly Listed[]): readonly Column<Listed>[] {
  const { view, go, overview } = page;
  const principal: Column<Listed> = { title: "Principal", cell: (operation) => operation.principal };
  const all: readonly Column<Listed>[] = [
    { title: "Status", cell: (operation) => statusInList(page, operation) },
    { title: "Definition", cell: ({ definition }) => definition },
    ...(operations.some((operation) => reasonOf(operation) !== "") ? [REASON] : []),
    { title: "Tenant", cell: ({ tenant }) => tenant },
    ...(operations.some((operation) => operation.principal !== undefined) ? [principal] : []),
    { title: "Attempts", cell: ({ attempt }) => String(attempt) },
    ...(operations.some(({ finishedAt }) => finishedAt !== undefined) ? [TOOK] : []),
    { title: "Created", cell: ({ createdAt }) => ago(createdAt) },
  ];
  const link: Column<Listed> = {
    title: "Operation",
    cell: ({ operationId }) =>
      viewLink(go, { ...view, operationId }, shortId(operationId), { class: "opens-row" }),
  };
  const choices = operations.some((each) => canRunAgain(overview, each)) ? [choiceColumn(page)] : [];
  return [...choices, link, ...all];
}

const REASON: Column<Listed> = { title: "Reason", cell: reasonOf };

/** Time from its acceptance to its end. */
const TOOK: Column<Listed> = {
  title: "Took",
  cell: ({ createdAt, finishedAt }) =>
    finishedAt === undefined ? "" : duration(Date.parse(finishedAt) - Date.parse(createdAt)),
};

/** Creates the status of a row. A failure that was run again is done, and leads to its successor. */
function statusInList({ view, go }: Page, operation: Listed): HTMLElement {
  const { status, retriedBy } = operation;
  if (retriedBy === undefined) return statusOf(operation);
  const label = { "aria-label": `Run again as ${retriedBy}` };
  const link = viewLink(go, { ...view, operationId: retriedBy }, "run again →", label);
  return element("span", { class: "done" }, element("span", { class: "status" }, status), " ", link);
}

/** Creates the badge of a status. The color only repeats the text. */
export function statusOf({ status, retriedBy }: Listed): HTMLElement {
  const text = retriedBy === undefined ? status : `${status}, run again`;
  return element("span", { class: `status ${status}` }, text);
}

/** Offers to run everything in the list again, if there is a filter that the redrive understands. */
function showBulk(page: Page, hasRows: boolean): void {
  const { overview, view } = page;
  const { internal: _, ...narrowing } = bulkFilterOf(view);
  const isNarrow = Object.keys(narrowing).length > 0 && view.words === "";
  byId("bulk").replaceChildren(
    ...(overview.operates && view.status === "failed" && isNarrow && hasRows
      ? [button("Run all of these again…", () => openBulk(page, bulkFilterOf(view)))]
      : []),
  );
}

/** Returns the list or overview that a view of details came from. */
export function listBehind(view: Page["view"]): Page["view"] {
  return listOf({ ...view, operationId: "" });
}
