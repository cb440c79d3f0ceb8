import type { FailureGroup } from "../../operator/failures.js";
import type { Sent } from "../wire.js";
import { readFailures } from "./api.js";
import { openBulk } from "./bulk.js";
import { button, byId, type Column, element, table } from "./dom.js";
import { ago } from "./format.js";
import { bulkFilterOf, listFilterOf, type Page, type View, viewLink } from "./view.js";

type Group = Sent<FailureGroup>;

/** Links the list and the groups of failures. Both keep the filter. */
export function showViews({ view, go }: Page): void {
  // The filter of a group would leave only that group.
  const wider = view.message === "" ? view : { ...view, definition: "", errorType: "", message: "" };
  const other =
    view.show === "failures"
      ? viewLink(go, { ...view, show: "list", cursor: "" }, "List")
      : viewLink(go, { ...wider, show: "failures", status: "failed", cursor: "" }, "Failures");
  byId("views").replaceChildren(other);
}

/** Shows failures in groups, those with the most open ones first. */
export async function showFailures(page: Page): Promise<void> {
  document.title = "Failures";
  const { groups, complete } = await readFailures(listFilterOf(page.view));
  if (!page.isCurrent()) return;
  byId("list-title").textContent = "Failures";
  byId("bulk").hidden = true;
  for (const id of ["choice", "pages"]) byId(id).replaceChildren();
  byId("done").textContent = complete
    ? ""
    : "There is more. At most 100 groups of the newest 10,000 failures are shown.";
  byId("rows").replaceChildren(
    groups.length === 0
      ? element("p", {}, "No failures match.")
      : table("Failures by reason, the most open ones first", columns(page, groups), groups),
  );
}

function columns(page: Page, groups: readonly Group[]): readonly Column<Group>[] {
  const run: Column<Group> = { title: "Action", cell: (group) => runButton(page, group) };
  return [
    {
      title: "Message",
      cell: (group) => viewLink(page.go, listIn(page, group), group.message || "No message"),
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
  return button("Run again…", () => openBulk(bulkFilterOf(listIn(page, group)), page.reload), {
    "aria-label": `Run again ${group.definition}: ${group.message}`,
  });
}

function listIn({ view }: Page, { definition, errorType, message }: Group): View {
  return { ...view, show: "list", cursor: "", definition, errorType: errorType ?? "", message };
}
