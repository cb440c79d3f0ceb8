import type { Overview, Sent } from "../wire.js";
import { readOverview } from "./api.js";
import { showChips } from "./chips.js";
import { hasChoice } from "./choice.js";
import { showDetails } from "./details.js";
import { announce, byId, showProblem } from "./dom.js";
import { showFailures } from "./failures.js";
import { fillFilters, readFilters, showFilters } from "./filters.js";
import { startKeys } from "./keys.js";
import { listBehind, showList } from "./list.js";
import { showOverview } from "./overview.js";
import { showRail } from "./rail.js";
import { showSearch, startSearch } from "./search.js";
import { showTabs } from "./tabs.js";
import { onPlainClick, overviewOf, type Page, readView, urlOf, type View } from "./view.js";

const REFRESH_MS = 10_000;
const SECTIONS = ["overview", "list", "details"] as const;

let overview: Sent<Overview> | undefined;
/** Number of the newest load. An earlier load that takes longer shows nothing. */
let newest = 0;

/** How a view is loaded. */
interface LoadOptions {
  readonly inBackground?: boolean;
  readonly focus?: boolean;
}

/** Loads everything that the URL names. A refresh in the background does not replace a section that is in use. */
async function load({ inBackground = false, focus = false }: LoadOptions = {}): Promise<void> {
  newest += 1;
  const load = newest;
  const isCurrent = (): boolean => load === newest;
  byId("main").setAttribute("aria-busy", String(!inBackground));
  try {
    const loaded = await readOverview();
    if (!isCurrent()) return;
    if (overview === undefined) fillFilters(loaded);
    overview = loaded;
    const view = readView();
    await showMain({ overview: loaded, view, inBackground, go, reload, isCurrent }, focus);
    if (isCurrent()) showProblem(undefined);
  } catch (error) {
    if (isCurrent()) showProblem(error);
  }
  if (isCurrent()) byId("main").setAttribute("aria-busy", "false");
}

function reload(): Promise<void> {
  return load();
}

async function showMain(page: Page, focus: boolean): Promise<void> {
  const { view, inBackground } = page;
  byId("access").textContent = page.overview.operates ? "You can observe and operate." : "You can observe.";
  const shown = sectionOf(view);
  // Grouping reads many operations, so nothing repeats it without being asked.
  const isHeld = shown === "list" && view.show === "failures";
  if (inBackground && (isHeld || isInUse(byId(shown)))) return showRail(page);
  showSearch(view);
  await showSection(page, shown);
  if (!page.isCurrent()) return;
  // The overview reads what the rail knows of failures.
  showRail(page);
  for (const section of SECTIONS) byId(section).hidden = section !== shown;
  if (focus) byId(`${shown}-title`).focus();
}

function sectionOf({ operationId, show }: View): (typeof SECTIONS)[number] {
  if (operationId !== "") return "details";
  return show === "overview" ? "overview" : "list";
}

async function showSection(page: Page, section: (typeof SECTIONS)[number]): Promise<void> {
  if (section === "details") return showDetails(page);
  if (section === "overview") return showOverview(page);
  showFilters(page.view);
  showTabs(page);
  showChips(page);
  await (page.view.show === "failures" ? showFailures(page) : showList(page));
}

/** Returns whether a dialog is open, operations are chosen, or someone is in the middle of a section. */
function isInUse(section: HTMLElement): boolean {
  return byId<HTMLDialogElement>("dialog").open || hasChoice() || section.contains(document.activeElement);
}

/** Shows a view, and moves the focus to its heading. Takes back the offer to undo. */
function go(view: View): void {
  announce("");
  history.pushState(null, "", urlOf(view));
  void load({ focus: true });
}

byId("filters").addEventListener("submit", (event) => {
  event.preventDefault();
  go({ ...readView(), ...readFilters(), cursor: "" });
});
startSearch(go);
startKeys({
  back: () => {
    if (readView().operationId !== "") go(listBehind(readView()));
  },
});
onPlainClick(byId<HTMLAnchorElement>("home"), () => go(overviewOf()));
byId("refresh").addEventListener("click", () => load());
addEventListener("popstate", () => load({ focus: true }));
setInterval(() => {
  if (document.visibilityState === "visible") void load({ inBackground: true });
}, REFRESH_MS);
void load();
