import type { OperationSummary } from "../../operator/views.js";
import type { Details, Sent, TimelineEntry } from "../wire.js";
import { cancelButton, payloadButton, redriveButton } from "./actions.js";
import { readDetails } from "./api.js";
import { canRunAgain } from "./choice.js";
import { byId, type Child, element } from "./dom.js";
import { duration, exactly } from "./format.js";
import { listBehind, statusOf } from "./list.js";
import { outputOf } from "./output.js";
import { type Page, viewLink } from "./view.js";

/** Shows an operation, and what happened to it. */
export async function showDetails(page: Page): Promise<void> {
  const details = await readDetails(page.view.operationId);
  if (!page.isCurrent()) return;
  const { operation, deliveries } = details;
  document.title = `Operation ${operation.operationId}`;
  byId("details").replaceChildren(
    element("p", {}, viewLink(page.go, listBehind(page.view), "Back to the list")),
    element("h2", { id: "details-title", tabindex: "-1" }, `Operation ${operation.operationId}`),
    facts(page, details),
    actions(page, operation),
    details.hasOutput && page.overview.operates ? outputOf(operation.operationId) : "",
    element("h3", {}, "Timeline"),
    timeline(page, details.timeline),
    ...deliveries.flatMap((delivery, index) => deliveryOf(page, delivery, index)),
  );
}

function facts(page: Page, { operation, lastCheckpointAt }: Sent<Details>): HTMLElement {
  const { definition, tenant, principal, attempt, createdAt, finishedAt, key, retryOf, retriedBy } =
    operation;
  const { status, urgency, retentionMs, failedRetentionMs = retentionMs } = operation;
  const facts: readonly (readonly [name: string, value: Child])[] = [
    ["Status", statusOf(operation)],
    ["Definition", definition],
    ["Tenant", tenant],
    ["Principal", principal],
    ["Urgency", String(urgency)],
    ["Attempts", String(attempt)],
    ["Created", exactly(createdAt)],
    ["Last checkpoint", lastCheckpointAt === undefined ? undefined : exactly(lastCheckpointAt)],
    ["Cancellation", operation.cancelRequested === undefined ? undefined : "Requested"],
    ["Ended", finishedAt === undefined ? undefined : exactly(finishedAt)],
    ["Kept after its end", duration(status === "failed" ? failedRetentionMs : retentionMs)],
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

function operationLink({ go, view }: Page, operationId: string): HTMLElement {
  return viewLink(go, { ...view, operationId }, operationId);
}

/** Creates the buttons for everything that the caller and the state allow. */
function actions(page: Page, operation: Sent<OperationSummary>): HTMLElement {
  const { operationId, status, hidden } = operation;
  const { operates } = page.overview;
  const canCancel = operates && status === "pending" && hidden !== true;
  const payload = element("div", { id: "payload" });
  return element(
    "div",
    {},
    element(
      "div",
      { class: "actions" },
      canCancel ? cancelButton(page, operationId) : undefined,
      canRunAgain(page.overview, operation) ? redriveButton(page, operationId) : undefined,
      operates ? payloadButton(operationId, payload) : undefined,
    ),
    payload,
  );
}

function deliveryOf(
  page: Page,
  { operation, timeline: entries }: Sent<Details["deliveries"][number]>,
  index: number,
): Node[] {
  const { operationId, definition } = operation;
  const title = index === 0 ? `Follow-up: ${definition}` : `Follow-up, run again: ${definition}`;
  return [
    element("h3", {}, title),
    element("p", {}, statusOf(operation), " ", operationLink(page, operationId)),
    timeline(page, entries),
  ];
}

/** Creates the list of what happened to an operation. */
function timeline(page: Page, entries: readonly Sent<TimelineEntry>[]): HTMLElement {
  const items = entries.map((entry) => {
    const { event, at, detail, other } = entry;
    return element(
      "li",
      { class: event },
      element("span", { class: "when" }, at === undefined ? "" : exactly(at)),
      element("span", {}, ...sentenceOf(entry), other === undefined ? undefined : operationLink(page, other)),
      detail === undefined || detail === "" ? undefined : element("span", { class: "detail" }, detail),
    );
  });
  return element("ol", { class: "timeline" }, ...items);
}

function sentenceOf({ event, attempt, other }: Sent<TimelineEntry>): readonly Child[] {
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
