import type { BatchSettings } from "../../../batching/batches.js";
import { AsyncReplyError } from "../../../contract/errors.js";
import type { JsonText, Settlement } from "../../../contract/operation.js";
import { CANCELLED } from "../../../contract/problem.js";
import type { Lease, Renewal, RenewResult, SettleResult } from "../../../ports/operation-store.js";
import { type Row, state } from "../../shared/row.js";
import { createCallBatch, noneOrAll, oneForAll, orEmpty } from "./call-batch.js";
import type { Gateway } from "./gateway.js";

type RenewItem = Lease & Renewal;

/** Calls about attempts. Concurrent calls of one kind share a statement. */
export interface AttemptBatches {
  renew(item: RenewItem): Promise<RenewResult>;
  settle(item: SettleItem): Promise<SettleResult>;
}

/** Creates the batches of calls about attempts: one for each kind of call. */
export function createAttemptBatches(gateway: Gateway<unknown>, limits: BatchSettings): AttemptBatches {
  return {
    renew: createCallBatch({
      gateway,
      name: "renew_v1",
      limits,
      bytesOf: ({ progress = "" }) => progress.length,
      valuesOf: (items) => [
        items.map(({ operationId }) => operationId),
        items.map(({ token }) => token),
        items.map(({ leaseMs = 0 }) => leaseMs),
        items.map(({ progress }) => orEmpty(progress)),
      ],
      resultOf: toRenewResult,
    }),
    settle: createCallBatch({
      gateway,
      name: "settle_v1",
      limits,
      bytesOf: settleBytes,
      valuesOf: (items) => settleValues(items),
      resultOf: (row, { settlement }) => toSettleResult(row, settlement),
    }),
  };
}

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
    oneForAll(items, ({ lease }) => lease.token),
    oneForAll(items, ({ settlement }) => settlement.to),
    noneOrAll(items, "", ({ settlement }) => orEmpty(contentOf(settlement))),
    noneOrAll(items, "", ({ settlement }) => orEmpty(lastErrorOf(settlement))),
    noneOrAll(items, "", ({ settlement }) => orEmpty(progressOf(settlement))),
    noneOrAll(items, 0, ({ settlement }) => (settlement.to === "retry" ? settlement.delayMs : 0)),
    noneOrAll(items, false, ({ settlement }) => settlement.to === "retry" && settlement.countAttempt),
    noneOrAll(items, true, ({ settlement }) => settlement.to !== "retry" || settlement.started !== false),
    CANCELLED,
    transactionId,
  ];
}

/** Returns how much a settlement adds to the size of a batch. */
function settleBytes({ settlement }: SettleItem): number {
  const texts = [contentOf(settlement), lastErrorOf(settlement), progressOf(settlement)];
  return texts.reduce((sum, text = "") => sum + text.length, 0);
}

function lastErrorOf(settlement: Settlement): JsonText | undefined {
  return "lastError" in settlement ? settlement.lastError : undefined;
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

/** Converts the row that `renew_v1` returns for one lease. */
function toRenewResult(row: Row | undefined): RenewResult {
  if (row === undefined) return { outcome: "lost" };
  if (row.outcome === "renewed")
    return { outcome: "renewed", cancelRequested: row.cancel_requested === true };
  throw new AsyncReplyError("STORE_UNAVAILABLE", "Another transaction has locked the operation.");
}

/** Returns the result of one settlement. If there is no row, the operation ended as asked. */
export function toSettleResult(row: Row | undefined, { to }: Settlement): SettleResult {
  if (row === undefined && (to === "completed" || to === "failed")) return { outcome: "settled", state: to };
  return row === undefined || row.state === null
    ? { outcome: "lost" }
    : { outcome: "settled", state: state(row) };
}
