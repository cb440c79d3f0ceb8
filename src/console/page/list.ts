import type { OperationPage } from "../../operator/list.js";
import type { OperationSummary } from "../../operator/views.js";
import type { Overview, Sent } from "../wire.js";
import { readList } from "./api.js";
import { openBulk } from "./bulk.js";
import { byId, type Column, element, table } from "./dom.js";
import { ago } from "./format.js";
import {
  AGE_OPTIONS,
  bulkFilterOf,
  listFilterOf,
  listOf,
  type Page,
  STATUSES,
  type View,
  viewLink,
} from "./view.js";

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

function nextLink({ view, go }: Page, { cursor }: Pick<OperationPage, "cursor">): readonly HTMLElement[] {
  return cursor === undefined ? [] : [viewLink(go, { ...view, cursor }, "Older")];
}

function columns({ view, go, overview }: Page): readonly Column<Sent<OperationSummary>>[] {
  const all: readonly Column<Sent<OperationSummary>>[] = [
    { title: "Status", cell: statusOf },
    { title: "Definition", cell: ({ definition }) => definition },
    { title: "Tenant", cell: ({ tenant }) => tenant },
    { title: "Created", cell: ({ createdAt }) => ago(createdAt) },
    { title: "Attempts", cell: ({ attempt }) => String(attempt) },
    { title: "Reason", cell: reasonOf },
  ];
  const link: Column<Sent<OperationSummary>> = {
    title: "Operation",
    cell: ({ operationId }) => viewLink(go, { ...view, operationId }, operationId),
  };
  return overview.supports.get ? [link, ...all] : all;
}

/** Creates the badge of a status. The color only repeats the text. */
export function statusOf({ status, retriedBy }: Sent<OperationSummary>): HTMLElement {
  const text = retriedBy === undefined ? status : `${status}, run again`;
  return element("span", { class: `status ${status}` }, text);
}

/** Returns why an operation failed, or is retried. If all attempts failed, the error of the last one says more. */
function reasonOf({ error, lastError, status }: Sent<OperationSummary>): string {
  if (error === undefined) return status === "completed" ? "" : (lastError?.detail ?? "");
  const { name = error.type } = error;
  const detail = name === "attempts-exhausted" ? (lastError?.detail ?? error.detail) : error.detail;
  return detail === undefined ? name : `${name}: ${detail}`;
}

/** Offers to run everything in the list again, if there is a filter. */
function showBulk({ overview, view, reload }: Page): void {
  const { operates, supports } = overview;
  byId("bulk").hidden = !operates || !supports.redrive || view.status !== "failed";
  const { internal: _, ...narrowing } = bulkFilterOf(view);
  const isEmpty = Object.keys(narrowing).length === 0;
  const open = byId<HTMLButtonElement>("bulk-open");
  open.disabled = isEmpty;
  open.onclick = () => openBulk(bulkFilterOf(view), reload);
  byId("bulk-hint").textContent = isEmpty ? "Choose a definition, tenant, time or error first." : "";
}

/** Returns the list that a view of details came from. */
export function listBehind({ view }: Page): Page["view"] {
  return listOf({ ...view, operationId: "" });
}

/** Members of a view that the form sets. */
type Filters = Pick<View, "status" | "definition" | "tenant" | "age" | "errorType" | "internal">;

const form = (): HTMLFormElement => byId<HTMLFormElement>("filters");

/** Fills in the choices. */
export function fillFilters({ definitions, errorTypes }: Sent<Overview>): void {
  fill("status", STATUSES);
  fill("definition", [["", "All"], ...definitions.map((name) => [name, name] as const)]);
  fill("age", AGE_OPTIONS);
  fill("errorType", [["", "Any"], ...errorTypes.map((name) => [name, name] as const)]);
  field<HTMLSelectElement>("status").addEventListener("change", hideErrorTypes);
}

/** Shows the filters of a view. */
export function showFilters(view: View): void {
  for (const name of ["status", "definition", "tenant", "age", "errorType"] as const)
    field(name).value = view[name];
  field<HTMLInputElement>("internal").checked = view.internal === "true";
  hideErrorTypes();
}

/** Returns the filters that were chosen. */
export function readFilters(): Filters {
  const data = new FormData(form());
  const text = (name: string): string => String(data.get(name) ?? "").trim();
  const status = text("status");
  return {
    status,
    definition: text("definition"),
    tenant: text("tenant"),
    age: text("age"),
    errorType: status === "failed" ? text("errorType") : "",
    internal: text("internal"),
  };
}

function hideErrorTypes(): void {
  byId("error-type").hidden = field("status").value !== "failed";
}

function field<Kind extends HTMLInputElement | HTMLSelectElement = HTMLInputElement>(name: string): Kind {
  return form().elements.namedItem(name) as Kind;
}

function fill(name: string, options: readonly (readonly [value: string, label: string])[]): void {
  const choices = options.map(([value, label]) => element("option", { value }, label));
  field<HTMLSelectElement>(name).replaceChildren(...choices);
}
