import type { Equality } from "../../../batching/merge-equal.js";
import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import type { NewOperation } from "../../../contract/operation.js";
import type { RecordManyResult, RecordResult, Submission } from "../../../ports/submission.js";
import { DETAILS } from "../../shared/details.js";
import { json, type Row, text, toOperation } from "../../shared/row.js";
import { noneOrAll, oneForAll, orEmpty } from "./call-batch.js";

/** Stands for an absent duration, because arrays contain no null. */
export const ABSENT_MS = -1;

/** Returns the parameters of the functions that record several submissions: see `submissions_v1` in the schema. */
export function recordValues(items: readonly Submission[]): unknown[] {
  return [
    items.map(({ operation }) => operation.id),
    oneForAll(items, ({ operation }) => operation.tenant),
    oneForAll(items, ({ operation }) => operation.definition),
    noneOrAll(items, "", ({ operation }) => orEmpty(operation.principal)),
    items.map(({ operation }) => orEmpty(operation.key)),
    items.map(({ fingerprint }) => fingerprint),
    items.map(({ operation }) => operation.input),
    oneForAll(items, ({ operation }) => operation.retentionMs),
    oneForAll(items, ({ operation }) => operation.failedRetentionMs ?? ABSENT_MS),
    noneOrAll(items, "", ({ operation }) => orEmpty(operation.meta)),
    noneOrAll(items, "", ({ operation }) => extraOf(operation)),
    noneOrAll(items, "", ({ initial }) => orEmpty(initial?.token)),
    noneOrAll(items, 0, ({ initial }) => initial?.leaseMs ?? 0),
  ];
}

/** Returns the parameters of `record_alone_v1`. */
export function recordAloneValues({ operation, fingerprint, initial }: Submission): unknown[] {
  const { id, tenant, definition, principal, key, input, retentionMs, failedRetentionMs, meta } = operation;
  return [
    ...[id, tenant, definition, orEmpty(principal), orEmpty(key), fingerprint, input],
    ...[retentionMs, failedRetentionMs ?? ABSENT_MS, orEmpty(meta), extraOf(operation)],
    ...[orEmpty(initial?.token), initial?.leaseMs ?? 0],
  ];
}

/** Members that have a parameter. */
const WITH_PARAMETER: ReadonlySet<keyof NewOperation> = new Set([
  "id",
  "tenant",
  "definition",
  "principal",
  "key",
  "input",
  "retentionMs",
  "failedRetentionMs",
  "meta",
]);

/**
 * Returns the rarely used members of an operation as one JSON text, or "" if it has none of them. A separate array for
 * each member would slow down every submission.
 */
export function extraOf(operation: NewOperation): string {
  let extra: Record<string, unknown> | undefined;
  for (const name of Object.keys(operation) as (keyof NewOperation)[]) {
    if (WITH_PARAMETER.has(name) || operation[name] === undefined) continue;
    extra ??= {};
    extra[name] = operation[name];
  }
  return extra === undefined ? "" : JSON.stringify(extra);
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

/** Returns the error for a key that another transaction has recorded but not committed yet. */
export function submissionInProgress(): AsyncReplyError {
  const detail =
    "Another submission with this Idempotency-Key has not been committed yet. Send the same request again.";
  return new AsyncReplyError("SUBMISSION_IN_PROGRESS", detail);
}
