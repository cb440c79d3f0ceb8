import type { OperatorAction } from "../../operator/actions.js";
import type { Sent } from "../wire.js";
import { wordsFor } from "./action-words.js";
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
  if (action === "redrive-many") {
    const noun = redriven === 1 ? "operation" : "operations";
    return [`${redriven.toLocaleString("en")} failed ${noun} run again`, more ? ", not all" : ""];
  }
  if (outcome === "requested") return ["Cancellation requested"];
  const words = wordsFor(action);
  return retriedBy === undefined || page.view.operationId === ""
    ? [words]
    : [`${words} as `, operationLink(page, retriedBy)];
}
