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
import { startLive } from "./live.js";
import { showOverview } from "./overview.js";
import { showRail } from "./rail.js";
import { showSearch, startSearch } from "./search.js";
import { showTabs } from "./tabs.js";
import { onPlainClick, overviewOf, type Page, readView, urlOf, type View } from "./view.js";

const SECTIONS = ["overview", "list", "details"] as const;

let overview: Sent<Overview> | undefined;
/** Number of the newest load. An earlier load that takes longer shows nothing. */
let newest = 0;
let loading: Promise<void> | undefined;

/** How a view is loaded. */
interface LoadOptions {
  readonly inBackground?: boolean;
  readonly focus?: boolean;
}

function load(options: LoadOptions = {}): Promise<void> {
  loading = loadView(options);
  return loading;
}

/** Loads everything that the URL names. A refresh in the background does not replace what is in use. */
async function loadView({ inBackground = false, focus = false }: LoadOptions): Promise<void> {
  newest += 1;
  const load = newest;
  const view = readView();
  const section = byId(sectionOf(view));
  byId("main").setAttribute("aria-busy", String(!inBackground));
  try {
    const loaded = await readOverview(view.range);
    if (load !== newest) return;
    if (overview === undefined) fillFilters(loaded);
    overview = loaded;
    // Someone can begin to use it until the last moment.
    const isCurrent = (): boolean => load === newest && !(inBackground && isInUse(section));
    const page: Page = { overview: loaded, view, inBackground, go, reload, isCurrent };
    await showMain(page, focus);
    if (load !== newest) return;
    // The overview reads what the rail knows of failures.
    if (!(inBackground && isInUse(byId("rail")))) showRail(page);
    showProblem(undefined);
  } catch (error) {
    if (load === newest) showProblem(error);
  }
  if (load === newest) byId("main").setAttribute("aria-busy", "false");
}

function reload(): Promise<void> {
  return load();
}

/** Loads the view in the background, after any load that someone waits for. */
async function refresh(): Promise<void> {
  for (let before: unknown; before !== loading; ) {
    before = loading;
    await loading;
  }
  await load({ inBackground: true });
}

async function showMain(page: Page, focus: boolean): Promise<void> {
  const { view, inBackground, overview } = page;
  byId("access").textContent = overview.operates ? "You can observe and operate." : "You can observe.";
  const shown = sectionOf(view);
  // Grouping reads many operations, so nothing repeats it without being asked.
  const isHeld = shown === "list" && view.show === "failures";
  if (inBackground && (isHeld || !page.isCurrent())) return;
  showSearch(view);
  await showSection(page, shown);
  if (!page.isCurrent()) return;
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

/** Returns whether a dialog is open, operations are chosen, or someone is in the middle of a part of the page, not only at its heading. */
function isInUse(part: HTMLElement): boolean {
  const { activeElement: focused } = document;
  const hasFocus = part.contains(focused) && focused?.matches("h2") === false;
  const selection = getSelection();
  const isSelected = selection?.isCollapsed === false && part.contains(selection.anchorNode);
  const isPressed = part.matches(":active");
  return byId<HTMLDialogElement>("dialog").open || hasChoice() || hasFocus || isSelected || isPressed;
}

/** Returns whether the view shows any of these operations. Only details are about a few. */
function shows(operationIds: readonly string[]): boolean {
  if (readView().operationId === "") return true;
  const links = [...byId("details").querySelectorAll("a")].map(({ search }) => search);
  const shown = [location.search, ...links].join();
  return operationIds.some((operationId) => shown.includes(operationId));
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
void load().then(() => startLive({ isTold: () => overview?.live === true, shows, refresh }));
