import type { Details, Sent } from "../wire.js";
import { type Child, element } from "./dom.js";
import { duration, exactDuration, exactly } from "./format.js";
import { listOf, operationLink, type Page, viewLink } from "./view.js";

/** Shows what is known of an operation besides its payloads. */
export function factsOf(page: Page, { operation, lastCheckpointAt }: Sent<Details>): HTMLElement {
  const { definition, tenant, principal, attempt, createdAt, finishedAt, key, retryOf, retriedBy } =
    operation;
  const { status, urgency, retentionMs, failedRetentionMs = retentionMs } = operation;
  const others = (
    members: { readonly [name in "definition" | "tenant" | "principal"]?: string },
    text: string,
  ) => viewLink(page.go, listOf({ ...members, show: "list", status: "all" }), text);
  const took = finishedAt === undefined ? undefined : Date.parse(finishedAt) - Date.parse(createdAt);
  const facts: readonly (readonly [name: string, value: Child])[] = [
    ["Definition", others({ definition }, definition)],
    ["Tenant", others({ tenant }, tenant)],
    ["Principal", principal === undefined ? undefined : others({ principal }, principal)],
    ["Created", exactly(createdAt)],
    ["Ended", finishedAt === undefined ? undefined : exactly(finishedAt)],
    ["Time to its end", took === undefined ? undefined : exactDuration(took)],
    ["Attempts", String(attempt)],
    ["Urgency", String(urgency)],
    ["Last checkpoint", lastCheckpointAt === undefined ? undefined : exactly(lastCheckpointAt)],
    ["Cancellation", operation.cancelRequested === undefined ? undefined : "Requested"],
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
