import type { JsonText, NewOperation, Settlement } from "../../core/operation.js";
import { CANCELLED } from "../../core/problem.js";
import type { Lease } from "../../ports/operation-store.js";

/** One settlement of a batch. */
export interface SettleItem {
  readonly lease: Lease;
  readonly settlement: Settlement;
  readonly followUps: readonly NewOperation[];
}

/** The parameters of `settle_v1`. Follow-ups are one list, each with the place of the settlement that it goes with. */
export function settleValues(items: readonly SettleItem[]): unknown[] {
  const followUps = items.flatMap(({ followUps: each }, index) =>
    each.map((operation) => ({ ...operation, place: index + 1 })),
  );
  return [
    items.map(({ lease }) => lease.operationId),
    items.map(({ lease }) => lease.token),
    items.map(({ settlement }) => settlement.to),
    items.map(({ settlement }) => contentOf(settlement)),
    items.map(({ settlement }) => (settlement.to === "retry" ? settlement.delayMs : 0)),
    items.map(({ settlement }) => settlement.to === "retry" && settlement.countAttempt),
    CANCELLED,
    followUps.map(({ place }) => place),
    followUps.map(({ id }) => id),
    followUps.map(({ scope }) => scope),
    followUps.map(({ definition }) => definition),
    followUps.map(({ input }) => input),
    followUps.map(({ key = null }) => key),
    followUps.map(({ hidden = false }) => hidden),
  ];
}

/** How much of a batch a settlement takes up. */
export function settleBytes({ settlement, followUps }: SettleItem): number {
  return followUps.reduce((sum, { input }) => sum + input.length, (contentOf(settlement) ?? "").length);
}

/** The text that goes with a settlement: which one it is follows from where it leads. */
function contentOf(settlement: Settlement): JsonText | null {
  switch (settlement.to) {
    case "completed":
      return settlement.result ?? null;
    case "failed":
      return settlement.error;
    case "prepared":
      return settlement.resource;
    case "retry":
      return null;
  }
}
