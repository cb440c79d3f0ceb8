import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import type { Settlement } from "../../../contract/operation.js";
import type { BegunOperation } from "../../../ports/claim.js";
import type { BoundedCount, DefinitionStats, InspectedOperation } from "../../../ports/operation-reads.js";
import type { RedriveResult, RenewResult, SettleResult } from "../../../ports/operation-store.js";
import type { RecordManyResult, RecordResult, Submission } from "../../../ports/submission.js";
import { DETAILS } from "../../shared/details.js";
import {
  integer,
  json,
  type Row,
  state,
  text,
  toBoundedCount,
  toOperation,
  toPaused,
} from "../../shared/row.js";

/** Converts the row of an attempt that has begun. */
export function toBegun(row: Row): BegunOperation {
  return { operation: toOperation(row), previousLost: row.previous_lost === true };
}

/** Converts the row that `renew_v1` returns for one lease. */
export function toRenewResult(row: Row | undefined): RenewResult {
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

/** Converts the row that `inspect_v3` returns. */
export function toInspected(row: Row): InspectedOperation {
  return {
    operation: toOperation(row),
    ...(row.token !== null && { token: text(row, "token") }),
    ...(row.due_at !== null && { dueAt: integer(row, "due_at"), isDue: row.is_due === true }),
    ...(row.running_of_tenant !== null && { runningOfTenant: integer(row, "running_of_tenant") }),
  };
}

/** Converts the row that `stats_v1` returns for one definition. */
export function toStats(row: Row): DefinitionStats {
  return {
    definition: text(row, "definition"),
    due: toCount(row, "due"),
    running: toCount(row, "running"),
    scheduled: toCount(row, "scheduled"),
    failed: toCount(row, "failed"),
    ...(row.oldest_due_ms === null ? {} : { oldestDueMs: integer(row, "oldest_due_ms") }),
    ...toPaused(row),
  };
}

function toCount(row: Row, column: string): BoundedCount {
  return toBoundedCount(integer(row, column));
}

/** Converts the row that `redrive_v2` returns. */
export function toRedriveResult(row: Row): RedriveResult {
  switch (row.outcome) {
    case "redriven":
      return {
        outcome: "redriven",
        operationId: text(row, "operation_id"),
        created: row.created === true,
      };
    case "not-redrivable":
      return { outcome: "not-redrivable", state: state(row) };
    default:
      return { outcome: "unknown" };
  }
}

/** Whether another transaction holds the key of a submission. */
export function isHeld(row: Row | undefined): boolean {
  return row?.outcome === "locked";
}

/** Returns the outcome of one submission. If there is no row, its operation was created. */
export function toRecordResult(row: Row | undefined, { operation }: Submission): RecordResult {
  if (row === undefined) return { outcome: "created" };
  switch (row.outcome) {
    case "created":
      return { outcome: "created" };
    case "exists": {
      const found = json(row, "operation");
      if (found.id === operation.id) return { outcome: "created" };
      return { outcome: "exists", operation: toOperation(found), fingerprint: text(found, "fingerprint") };
    }
    case "locked":
      throw submissionInProgress();
    default:
      throw new AsyncReplyError("INTERNAL", DETAILS.unstorable, { cause: row.outcome, recorded: "no" });
  }
}

/** Returns the outcome of one of several submissions. An error of its row refuses only this submission. */
export function toManyResult(row: Row | undefined, submission: Submission): RecordManyResult {
  try {
    return toRecordResult(row, submission);
  } catch (error) {
    if (isAsyncReplyError(error)) return { outcome: "refused", error };
    throw error;
  }
}

/** Returns a function that finds the row of an item by its index. */
export function byPlace(rows: readonly Row[]): (index: number) => Row | undefined {
  const found = new Map(rows.map((row) => [integer(row, "place"), row]));
  return (index) => found.get(index + 1);
}

/** Returns the error for a key that another transaction has recorded but not committed yet. */
export function submissionInProgress(): AsyncReplyError {
  const detail =
    "Another submission with this Idempotency-Key has not been committed yet. Send the same request again.";
  return new AsyncReplyError("SUBMISSION_IN_PROGRESS", detail);
}
