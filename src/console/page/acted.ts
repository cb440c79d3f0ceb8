import type { OperatorAction } from "../../operator/actions.js";
import type { Sent } from "../wire.js";
import { type Child, element } from "./dom.js";
import { clockTime } from "./format.js";
import { operationLink, type Page } from "./view.js";

type Acted = Sent<OperatorAction>;

/** Lists what operators did, newest first. Names the operations, unless the page is about one. Returns nothing without any. */
export function actedOf(page: Page, actions: readonly Acted[]): readonly HTMLElement[] {
  if (actions.length === 0) return [];
  const items = actions.map((action) => element("li", {}, ...sentenceOf(page, action)));
  return [element("h3", {}, "Actions"), element("ul", { class: "acted" }, ...items)];
}

function sentenceOf(page: Page, action: Acted): readonly Child[] {
  const { by, via, at, operationId = "" } = action;
  const isNamed = operationId !== "" && operationId !== page.view.operationId;
  return [
    ...wordsOf(page, action),
    ...(isNamed ? [": ", operationLink(page, operationId)] : []),
    by === undefined ? "" : ` by ${by}`,
    via === undefined ? "" : ` from ${via}`,
    ", ",
    clockTime(at),
  ];
}

function wordsOf(page: Page, { action, facts }: Acted): readonly Child[] {
  const { outcome, retriedBy, redriven = 0, more = false } = facts;
  switch (action) {
    case "cancel":
      return [outcome === "requested" ? "Cancellation requested" : "Cancelled"];
    case "redrive":
      return retriedBy === undefined || page.view.operationId === ""
        ? ["Run again"]
        : ["Run again as ", operationLink(page, retriedBy)];
    case "redrive-many":
      return [
        `${redriven.toLocaleString("en")} failed ${redriven === 1 ? "operation" : "operations"} run again`,
        more ? ", not all" : "",
      ];
    case "pause":
      return ["Paused"];
    case "resume":
      return ["Resumed"];
    // A later release can record more.
    default:
      return [action];
  }
}
