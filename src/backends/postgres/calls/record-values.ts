import type { Equality } from "../../../batching/merge-equal.js";
import { AsyncReplyError } from "../../../contract/errors.js";
import type { NewOperation } from "../../../contract/operation.js";
import type { RecordResult, Submission } from "../../../ports/submission.js";
import { json, type Row, text, toOperation } from "../../rows/row.js";
import { orEmpty } from "./or-empty.js";

/** Stands for an absent duration, because arrays contain no null. */
export const ABSENT_MS = -1;

/** Returns the parameters of the functions that record submissions. */
export function recordValues(items: readonly Submission[]): unknown[] {
  return [
    items.map(({ operation }) => operation.id),
    items.map(({ operation }) => operation.tenant),
    items.map(({ operation }) => operation.definition),
    items.map(({ operation }) => orEmpty(operation.key)),
    items.map(({ fingerprint }) => fingerprint),
    items.map(({ operation }) => operation.input),
    items.map(({ operation }) => operation.retentionMs),
    items.map(({ operation }) => operation.failedRetentionMs ?? ABSENT_MS),
    items.map(({ operation }) => orEmpty(operation.meta)),
    items.map(({ operation }) => extraOf(operation)),
    items.map(({ initial }) => orEmpty(initial?.token)),
    items.map(({ initial }) => initial?.leaseMs ?? 0),
  ];
}

/**
 * Returns the rarely used members of an operation as one JSON text, or "" if it has none of them. A separate array for
 * each member would slow down every submission.
 */
export function extraOf({ hidden, delayMs, retryOf, onEnd }: NewOperation): string {
  if ((hidden ?? delayMs ?? retryOf ?? onEnd) === undefined) return "";
  return JSON.stringify({ hidden, delayMs, retryOf, onEnd });
}

/** Returns how much a submission adds to the size of a batch. */
export function recordBytes({ operation: { input, meta = "", onEnd } }: Submission): number {
  return input.length + meta.length + (onEnd?.input.length ?? 0);
}

/**
 * Compares submissions. At most one of several equal submissions becomes an operation, and the others get that
 * operation.
 */
export const ONE_OPERATION: Equality<Submission, Row> = {
  keyOf: ({ operation }) => operation.key,
  equal: (one, other) =>
    one.fingerprint === other.fingerprint &&
    one.operation.tenant === other.operation.tenant &&
    one.operation.definition === other.operation.definition,
  isShared: ({ outcome }) => outcome !== "created",
};

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
    case "helped":
    case "exists": {
      const found = json(row, "operation");
      if (found.id === operation.id) return { outcome: "created" };
      return { outcome: "exists", operation: toOperation(found), fingerprint: text(found, "fingerprint") };
    }
    case "reused":
      return { outcome: "in-progress", fingerprint: text(json(row, "operation"), "fingerprint") };
    case "locked":
      throw submissionInProgress();
    default:
      throw new AsyncReplyError("INTERNAL", "The database cannot store this data.", { cause: row.outcome });
  }
}

/** Returns the error for a key that another transaction has recorded but not committed yet. */
export function submissionInProgress(): AsyncReplyError {
  const detail =
    "Another submission with this Idempotency-Key has not been committed yet. Send the same request again.";
  return new AsyncReplyError("SUBMISSION_IN_PROGRESS", detail);
}
