import { byId } from "./dom.js";
import { type Page, type View, viewLink, withStatus } from "./view.js";

/** Links the groups of failures and the lists. All of them keep the filter. */
export function showTabs({ view, go }: Page): void {
  // The filter of a group would leave only that group.
  const wider = view.message === "" ? view : { ...view, definition: "", errorType: "", message: "" };
  const tabs: readonly (readonly [label: string, target: View])[] = [
    ["Failures by reason", { ...withStatus(wider, "failed"), show: "failures" }],
    ["Failed", withStatus(view, "failed")],
    ["Unfinished", withStatus(view, "pending")],
    ["Completed", withStatus(view, "completed")],
    ["All", withStatus(view, "all")],
  ];
  const links = tabs.map(([label, target]) => {
    const isShown = target.show === view.show && (view.show === "failures" || target.status === view.status);
    return viewLink(go, target, label, { "aria-current": isShown ? "page" : undefined });
  });
  byId("views").replaceChildren(...links);
}
