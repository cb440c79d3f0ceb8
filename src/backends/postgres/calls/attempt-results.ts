import { AsyncReplyError } from "../../../contract/errors.js";
import type { BeginResult, RenewResult, SettleResult } from "../../../ports/operation-store.js";
import { integer, type Row, state, toOperation } from "../../rows/row.js";

/** Converts the row that `begin_v1` returns for one operation. */
export function toBeginResult(row: Row | undefined): BeginResult {
  switch (row?.outcome) {
    case "begun":
      return toBegun(row);
    case "not-due":
      return { outcome: "not-due", dueInMs: integer(row, "due_in_ms") };
    case "busy":
    case "preparing":
    case "terminal":
      return { outcome: row.outcome };
    default:
      return { outcome: "unknown" };
  }
}

/** Converts the row of an attempt that has begun. */
export function toBegun(row: Row): Extract<BeginResult, { readonly outcome: "begun" }> {
  return { outcome: "begun", operation: toOperation(row), previousLost: row.previous_lost === true };
}

/** Converts the row that `renew_v1` returns for one lease. */
export function toRenewResult(row: Row | undefined): RenewResult {
  if (row === undefined) return { outcome: "lost" };
  if (row.outcome === "renewed")
    return { outcome: "renewed", cancelRequested: row.cancel_requested === true };
  throw new AsyncReplyError("STORE_UNAVAILABLE", "Another transaction has locked the operation.");
}

/** Converts the row that `settle_v1` returns for one settlement. */
export function toSettleResult(row: Row | undefined): SettleResult {
  return row === undefined ? { outcome: "lost" } : { outcome: "settled", state: state(row) };
}
