import type { Overview, Sent } from "../wire.js";
import { readOverview } from "./api.js";
import { showChips } from "./chips.js";
import { hasChoice } from "./choice.js";
import { showDetails } from "./details.js";
import { byId, showProblem } from "./dom.js";
import { showFailures } from "./failures.js";
import { fillFilters, readFilters, showFilters } from "./filters.js";
import { startKeys } from "./keys.js";
import { listBehind, showList } from "./list.js";
import { showSearch, startSearch } from "./search.js";
import { showStatistics } from "./statistics.js";
import { showTabs } from "./tabs.js";
import { listOf, onPlainClick, readView, urlOf, type View } from "./view.js";

const REFRESH_MS = 10_000;

let overview: Sent<Overview> | undefined;
/** Number of the newest load. An earlier load that takes longer shows nothing. */
let newest = 0;

/** Loads everything that the URL names. A refresh in the background does not replace a section that is in use. */
async function load(
  options: { readonly inBackground?: boolean; readonly focus?: boolean } = {},
): Promise<void> {
  newest += 1;
  const load = newest;
  const busy = options.inBackground === true ? "false" : "true";
  byId("main").setAttribute("aria-busy", busy);
  try {
    const loaded = await readOverview();
    if (load !== newest) return;
    if (overview === undefined) fillFilters(loaded);
    overview = loaded;
    showStatistics(loaded, { go, reload });
    byId("statistics").hidden = readView().operationId !== "";
    await showMain(loaded, { ...options, isCurrent: () => load === newest });
    if (load === newest) showProblem(undefined);
  } catch (error) {
    if (load === newest) showProblem(error);
  }
  if (load === newest) byId("main").setAttribute("aria-busy", "false");
}

function reload(): Promise<void> {
  return load();
}

async function showMain(
  loaded: Sent<Overview>,
  options: { readonly inBackground?: boolean; readonly focus?: boolean; readonly isCurrent: () => boolean },
): Promise<void> {
  const view = readView();
  const [shown, other] = view.operationId === "" ? ["list", "details"] : ["details", "list"];
  // Grouping reads many operations, so nothing repeats it without being asked.
  const isHeld = shown === "list" && view.show === "failures";
  if (options.inBackground === true && (isHeld || isInUse(byId(shown as string)))) return;
  showSearch(view);
  const page = { overview: loaded, view, go, reload, isCurrent: options.isCurrent };
  if (view.operationId === "") {
    showFilters(view);
    showTabs(page);
    showChips(page);
    await (view.show === "failures" ? showFailures(page) : showList(page));
  } else await showDetails(page);
  if (!options.isCurrent()) return;
  byId(shown as string).hidden = false;
  byId(other as string).hidden = true;
  if (options.focus === true) byId(`${shown}-title`).focus();
}

/** Returns whether a dialog is open, operations are chosen, or someone is in the middle of a section. */
function isInUse(section: HTMLElement): boolean {
  return byId<HTMLDialogElement>("dialog").open || hasChoice() || section.contains(document.activeElement);
}

/** Shows a view, and moves the focus to its heading. */
function go(view: View): void {
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
onPlainClick(byId<HTMLAnchorElement>("home"), () => go(listOf()));
byId("refresh").addEventListener("click", () => load());
addEventListener("popstate", () => load({ focus: true }));
setInterval(() => {
  if (document.visibilityState === "visible") void load({ inBackground: true });
}, REFRESH_MS);
void load();
