import type { FailureGroup } from "../../operator/failures.js";
import type { Sent } from "../wire.js";
import { readFailures } from "./api.js";
import { openBulk } from "./bulk.js";
import { button, byId, type Column, element, table } from "./dom.js";
import { ago } from "./format.js";
import { nothingFound } from "./nothing-found.js";
import { bulkFilterOf, listFilterOf, type Page, type View, viewLink } from "./view.js";

type Group = Sent<FailureGroup>;

/** Shows failures in groups. */
export async function showFailures(page: Page): Promise<void> {
  document.title = "Failures by reason";
  const { groups, complete } = await readFailures(listFilterOf(page.view));
  if (!page.isCurrent()) return;
  byId("list-title").textContent = "Failures by reason";
  for (const id of ["bulk", "choice", "pages"]) byId(id).replaceChildren();
  byId("done").textContent = complete
    ? ""
    : "There is more. At most 100 groups of the newest 10,000 failures are shown.";
  byId("rows").replaceChildren(groups.length === 0 ? nothingFound(page, false) : failureTable(page, groups));
}

/** Creates the table of groups of failures. Those that were run again come last. */
export function failureTable(page: Page, groups: readonly Group[]): HTMLTableElement {
  const sorted = groups.toSorted(byTime);
  return table("Failures by reason, most recent first", columns(page, sorted), sorted);
}

/** Those that someone has to look at come first. */
function byTime(one: Group, other: Group): number {
  const isOpen = Number(other.open > 0) - Number(one.open > 0);
  return isOpen || Date.parse(other.lastFailedAt) - Date.parse(one.lastFailedAt);
}

function columns(page: Page, groups: readonly Group[]): readonly Column<Group>[] {
  const run: Column<Group> = { title: "Action", cell: (group) => runButton(page, group) };
  return [
    {
      title: "Message",
      cell: (group) =>
        viewLink(page.go, listIn(page, group), group.message || "No message", { class: "opens-row" }),
    },
    { title: "Definition", cell: ({ definition }) => definition },
    { title: "Error", cell: ({ errorType }) => errorType },
    { title: "Count", cell: ({ count }) => count.toLocaleString("en") },
    { title: "Open", cell: openIn },
    { title: "First", cell: ({ firstFailedAt }) => ago(firstFailedAt) },
    { title: "Last", cell: ({ lastFailedAt }) => ago(lastFailedAt) },
    ...(groups.some((group) => canRunAgain(page, group)) ? [run] : []),
  ];
}

/** A group that was run again needs no attention. */
function openIn({ open }: Group): HTMLElement {
  return element("span", open === 0 ? { class: "done" } : {}, open.toLocaleString("en"));
}

function canRunAgain({ overview }: Page, { open }: Group): boolean {
  return overview.operates && open > 0;
}

function runButton(page: Page, group: Group): HTMLElement | undefined {
  if (!canRunAgain(page, group)) return undefined;
  return button("Run again…", () => openBulk(page, bulkFilterOf(listIn(page, group))), {
    "aria-label": `Run again ${group.definition}: ${group.message}`,
  });
}

function listIn({ view }: Page, { definition, errorType, message }: Group): View {
  return {
    ...view,
    show: "list",
    status: "failed",
    cursor: "",
    definition,
    errorType: errorType ?? "",
    message,
  };
}
