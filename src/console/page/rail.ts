import { byId, element } from "./dom.js";
import { counted } from "./format.js";
import { dotOf, healthOf } from "./health.js";
import { knownOf } from "./overview.js";
import { listOf, overviewOf, type Page, type View, viewLink } from "./view.js";

/** Shows the way to every definition, with its state and its open failures. */
export function showRail(page: Page): void {
  const { go, view, inBackground } = page;
  const isOverview = view.show === "overview" && view.operationId === "";
  const item = (target: View, content: readonly (Node | string)[], isShown: boolean): HTMLElement => {
    const link = viewLink(go, target, "", { "aria-current": isShown ? "page" : undefined });
    link.append(...content);
    return element("li", {}, link);
  };
  const definitions = knownOf(page).map((known) => {
    const { definition, stats } = known;
    const failed =
      stats === undefined || stats.failed.count === 0 ? [] : [failedBadge(counted(stats.failed))];
    const name = element("span", { class: "name" }, definition);
    const isShown = isOverview && view.definition === definition;
    return item(overviewOf(definition), [dotOf(healthOf(known).state), name, ...failed], isShown);
  });
  const rail = byId("rail");
  rail.replaceChildren(
    element(
      "ul",
      {},
      item(overviewOf(), ["Overview"], isOverview && view.definition === ""),
      item(listOf({ show: "failures" }), ["Failures"], view.show === "failures" && view.operationId === ""),
      item(listOf({ status: "all" }), ["Operations"], view.show === "list" && view.operationId === ""),
    ),
    element("h2", {}, "Definitions"),
    element("ul", {}, ...definitions),
  );
  if (inBackground) return;
  // On a narrow screen, the rail scrolls.
  const { offsetLeft = 0 } = rail.querySelector<HTMLElement>("[aria-current]") ?? {};
  rail.scrollLeft = offsetLeft - rail.clientWidth / 3;
}

function failedBadge(count: string): HTMLElement {
  return element("span", { class: "badge" }, count, element("span", { class: "unseen" }, " failed"));
}
