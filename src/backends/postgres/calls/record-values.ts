import type { Equality } from "../../../batching/merge-equal.js";
import { AsyncReplyError } from "../../../contract/errors.js";
import type { NewOperation } from "../../../contract/operation.js";
import type { RecordResult, Submission } from "../../../ports/backend.js";
import { orEmpty } from "./or-empty.js";
import { json, type Row, text, toOperation } from "./row.js";

/** The parameters of the functions that record. */
export function recordValues(items: readonly Submission[]): unknown[] {
  return [
    items.map(({ operation }) => operation.id),
    items.map(({ operation }) => operation.tenant),
    items.map(({ operation }) => operation.definition),
    items.map(({ operation }) => orEmpty(operation.key)),
    items.map(({ fingerprint }) => fingerprint),
    items.map(({ operation }) => operation.input),
    items.map(({ operation }) => operation.retentionMs),
    items.map(({ operation }) => orEmpty(operation.meta)),
    items.map(({ operation }) => extraOf(operation)),
    items.map(({ initial }) => orEmpty(initial?.token)),
    items.map(({ initial }) => initial?.leaseMs ?? 0),
  ];
}

/** Returns what few operations have, as one text: "" if this one has nothing of it. An array for each would slow down all. */
export function extraOf({ hidden, delayMs, retryOf, onEnd }: NewOperation): string {
  if ((hidden ?? delayMs ?? retryOf ?? onEnd) === undefined) return "";
  return JSON.stringify({ hidden, delayMs, retryOf, onEnd });
}

/** How much of a batch a submission takes up. */
export function recordBytes({ operation: { input, meta = "", onEnd } }: Submission): number {
  return input.length + meta.length + (onEnd?.input.length ?? 0);
}

/** Submissions of which at most one can become an operation, which is what the others ask for. */
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

/** What became of one submission. No row: it is a new operation. */
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
      throw new AsyncReplyError("INTERNAL", "The store cannot keep this.", { cause: row.outcome });
  }
}

/** The error of a key whose row another transaction has written and not committed yet. */
export function submissionInProgress(): AsyncReplyError {
  const detail =
    "Another submission with this Idempotency-Key has not been committed yet. Send the same request again.";
  return new AsyncReplyError("SUBMISSION_IN_PROGRESS", detail);
}
