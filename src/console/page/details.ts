import type { OperationSummary } from "../../operator/views.js";
import type { Details, TimelineEntry } from "../wire.js";
import { cancelButton, payloadButton, redriveButton } from "./actions.js";
import { readDetails } from "./api.js";
import { byId, type Child, element } from "./dom.js";
import { duration, exactly } from "./format.js";
import { listBehind, stateOf } from "./list.js";
import { type Page, viewLink } from "./view.js";

/** Shows an operation, and what happened to it. */
export async function showDetails(page: Page): Promise<void> {
  const details = await readDetails(page.view.id);
  if (!page.isCurrent()) return;
  const { operation, deliveries } = details;
  document.title = `Operation ${operation.operationId}`;
  byId("details").replaceChildren(
    element("p", {}, viewLink(page.go, listBehind(page), "Back to the list")),
    element("h2", { id: "details-title", tabindex: "-1" }, `Operation ${operation.operationId}`),
    facts(page, operation),
    actions(page, operation),
    element("h3", {}, "Timeline"),
    timeline(page, details.timeline),
    ...deliveries.flatMap((delivery, index) => deliveryOf(page, delivery, index)),
  );
}

function facts(page: Page, operation: OperationSummary): HTMLElement {
  const { definition, tenant, attempt, createdAt, finishedAt, key, retryOf, retriedBy } = operation;
  const { state, retentionMs, failedRetentionMs = retentionMs } = operation;
  const facts: readonly (readonly [name: string, value: Child])[] = [
    ["State", stateOf(operation)],
    ["Definition", definition],
    ["Tenant", tenant],
    ["Attempts", String(attempt)],
    ["Created", exactly(createdAt)],
    ["Cancellation", operation.cancelRequested === undefined ? undefined : "Requested"],
    ["Ended", finishedAt === undefined ? undefined : exactly(finishedAt)],
    ["Kept after its end", duration(state === "failed" ? failedRetentionMs : retentionMs)],
    ["Idempotency key", key],
    ["Runs again", retryOf === undefined ? undefined : operationLink(page, retryOf)],
    ["Run again as", retriedBy === undefined ? undefined : operationLink(page, retriedBy)],
  ];
  const shown = facts.filter(([, value]) => value !== undefined);
  const pairs = shown.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return element("dl", {}, ...pairs);
}

function operationLink({ go, view }: Page, id: string): HTMLElement {
  return viewLink(go, { ...view, id }, id);
}

/** Creates the buttons for everything that the caller, the back end and the state allow. */
function actions(
  page: Page,
  { operationId: id, state, retriedBy, definition, hidden }: OperationSummary,
): HTMLElement {
  const { operates, supports, definitions } = page.overview;
  const canCancel = operates && supports.cancel && state === "pending" && hidden !== true;
  const isOpen = state === "failed" && retriedBy === undefined && definitions.includes(definition);
  const payload = element("div", { id: "payload" });
  return element(
    "div",
    {},
    element(
      "div",
      { class: "actions" },
      canCancel ? cancelButton(page, id) : undefined,
      operates && supports.redrive && isOpen ? redriveButton(page, id) : undefined,
      operates ? payloadButton(id, payload) : undefined,
    ),
    payload,
  );
}

function deliveryOf(
  page: Page,
  { operation, timeline: entries }: Details["deliveries"][number],
  index: number,
): Node[] {
  const { operationId, definition } = operation;
  const title = index === 0 ? `Follow-up: ${definition}` : `Follow-up, run again: ${definition}`;
  return [
    element("h3", {}, title),
    element("p", {}, stateOf(operation), " ", operationLink(page, operationId)),
    timeline(page, entries),
  ];
}

/** Creates the list of what happened to an operation. */
function timeline({ go, view }: Page, entries: readonly TimelineEntry[]): HTMLElement {
  const items = entries.map((entry) => {
    const { event, at, detail, other } = entry;
    return element(
      "li",
      { class: event },
      element("span", { class: "when" }, at === undefined ? "" : exactly(at)),
      element(
        "span",
        {},
        ...sentenceOf(entry),
        other === undefined ? undefined : viewLink(go, { ...view, id: other }, other),
      ),
      detail === undefined || detail === "" ? undefined : element("span", { class: "detail" }, detail),
    );
  });
  return element("ol", { class: "timeline" }, ...items);
}

function sentenceOf({ event, attempt, other }: TimelineEntry): readonly Child[] {
  switch (event) {
    case "accepted":
      return [other === undefined ? "Accepted" : "Created to run again "];
    case "omitted":
      return [`The errors of attempts up to ${attempt} are no longer kept`];
    case "lost":
      return [`Attempt ${attempt} lost its lease, so its outcome is not known`];
    case "attempt-failed":
      return [`Attempt ${attempt} failed`];
    case "attempt-open":
      return [`Attempt ${attempt} began and has not ended yet`];
    case "completed":
      return [`Completed in attempt ${attempt}`];
    case "failed":
      return ["Failed"];
    case "redriven":
      return ["Run again as "];
  }
}
