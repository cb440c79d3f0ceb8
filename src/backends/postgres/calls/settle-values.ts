import type { JsonText, Settlement } from "../../../contract/operation.js";
import { CANCELLED } from "../../../contract/problem.js";
import type { Lease } from "../../../ports/operation-store.js";
import { orEmpty } from "./or-empty.js";

/** One settlement of a batch. */
export interface SettleItem {
  readonly lease: Lease;
  readonly settlement: Settlement;
}

/**
 * Returns the parameters of `settle_v1`.
 *
 * @param transactionId transaction in which it must run. Default: any.
 */
export function settleValues(items: readonly SettleItem[], transactionId = ""): unknown[] {
  return [
    items.map(({ lease }) => lease.operationId),
    items.map(({ lease }) => lease.token),
    items.map(({ settlement }) => settlement.to),
    items.map(({ settlement }) => orEmpty(contentOf(settlement))),
    items.map(({ settlement }) => orEmpty("lastError" in settlement ? settlement.lastError : undefined)),
    // Few attempts end with progress. Postgres fills a shorter array up with null.
    items.some(({ settlement }) => progressOf(settlement) !== undefined)
      ? items.map(({ settlement }) => orEmpty(progressOf(settlement)))
      : [],
    items.map(({ settlement }) => (settlement.to === "retry" ? settlement.delayMs : 0)),
    items.map(({ settlement }) => settlement.to === "retry" && settlement.countAttempt),
    CANCELLED,
    transactionId,
  ];
}

/** Returns how much a settlement adds to the size of a batch. */
export function settleBytes({ settlement }: SettleItem): number {
  const { lastError = "" } = settlement as { readonly lastError?: JsonText };
  return (contentOf(settlement)?.length ?? 0) + lastError.length + (progressOf(settlement)?.length ?? 0);
}

function progressOf(settlement: Settlement): JsonText | undefined {
  return settlement.to === "prepared" ? undefined : settlement.progress;
}

/** Returns the text that is stored with a settlement: a result, an error or a resource, depending on its target. */
function contentOf(settlement: Settlement): JsonText | undefined {
  switch (settlement.to) {
    case "completed":
      return settlement.result;
    case "failed":
      return settlement.error;
    case "prepared":
      return settlement.resource;
    case "retry":
      return undefined;
  }
}
