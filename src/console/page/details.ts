import type { OperationSummary } from "../../operator/summary.js";
import type { ChainLink, Details, Sent } from "../wire.js";
import { actedOf } from "./acted.js";
import { cancelButton, redriveButton } from "./actions.js";
import { readDetails } from "./api.js";
import { timelineOf } from "./attempts.js";
import { canRunAgain } from "./choice.js";
import { copyButton } from "./copy.js";
import { byId, element } from "./dom.js";
import { factsOf } from "./facts.js";
import { ago } from "./format.js";
import { shortId } from "./ids.js";
import { listBehind, statusOf } from "./list.js";
import { outputOf } from "./output.js";
import { payloadButton, payloadPlace } from "./payload.js";
import { operationLink, type Page, viewLink } from "./view.js";
import { whyOf } from "./why.js";

/** Shows an operation, and what happened to it. */
export async function showDetails(page: Page): Promise<void> {
  const details = await readDetails(page.view.operationId);
  if (!page.isCurrent()) return;
  const { operation, deliveries } = details;
  const { operationId } = operation;
  document.title = `Operation ${operationId}`;
  showHead(page, details);
  byId("details-content").replaceChildren(
    whyOf(details) ?? "",
    actionsOf(page, operation),
    factsOf(page, details),
    details.hasOutput && page.overview.operates ? outputOf(operationId) : "",
    ...chainOf(page, details),
    ...actedOf(page, details.actions),
    element("h3", {}, "Timeline"),
    element(
      "p",
      { class: "note" },
      "A bar is an attempt. It is pale before the attempt began, and dashed if the attempt was lost.",
    ),
    timelineOf(page, details),
    ...deliveries.flatMap((delivery, index) => deliveryOf(page, delivery, index)),
  );
}

function showHead({ go, view }: Page, { operation, traceUrl }: Sent<Details>): void {
  const { operationId } = operation;
  const title = byId("details-title");
  // Someone who selects the id keeps the selection.
  if (!title.textContent.endsWith(operationId)) title.replaceChildren("Operation ", shortId(operationId));
  const trace = { href: traceUrl, target: "_blank", rel: "noopener noreferrer" };
  byId("back").replaceChildren(viewLink(go, listBehind(view), "← Back to the list"));
  byId("details-status").replaceChildren(
    statusOf(operation),
    copyButton("Copy id", () => operationId),
    ...(traceUrl === undefined ? [] : [element("a", trace, "Trace ↗")]),
  );
}

/** Creates the buttons for everything that the caller and the state allow. */
function actionsOf(page: Page, operation: Sent<OperationSummary>): HTMLElement {
  const { operationId, status, hidden } = operation;
  const { operates } = page.overview;
  const canCancel = operates && status === "pending" && hidden !== true;
  const payload = payloadPlace(operationId);
  return element(
    "div",
    {},
    element(
      "div",
      { class: "actions" },
      canCancel ? cancelButton(page, operationId) : undefined,
      canRunAgain(page.overview, operation) ? redriveButton(page, operationId) : undefined,
      operates ? payloadButton(page, operation, payload) : undefined,
    ),
    payload,
  );
}

/** Lists the operations that run each other again. */
function chainOf(page: Page, { chain, operation }: Sent<Details>): readonly HTMLElement[] {
  if (chain.length === 0) return [];
  const items = chain.map((link) => {
    const isShown = link.operationId === operation.operationId;
    const id = isShown ? element("b", {}, "This operation") : operationLink(page, link.operationId);
    return element("li", {}, id, " ", chainStatus(link), " ", ago(link.createdAt));
  });
  return [element("h3", {}, "Run again"), element("ol", { class: "chain" }, ...items)];
}

function chainStatus({ status }: Sent<ChainLink>): HTMLElement {
  return element("span", { class: `status ${status}` }, status);
}

function deliveryOf(
  page: Page,
  delivery: Sent<Details["deliveries"][number]>,
  index: number,
): readonly HTMLElement[] {
  const { operation } = delivery;
  const title =
    index === 0 ? `Follow-up: ${operation.definition}` : `Follow-up, run again: ${operation.definition}`;
  return [
    element("h3", {}, title),
    element("p", {}, statusOf(operation), " ", operationLink(page, operation.operationId)),
    timelineOf(page, delivery),
  ];
}
