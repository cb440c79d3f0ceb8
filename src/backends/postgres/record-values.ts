import { AsyncReplyError } from "../../core/errors.js";
import type { RecordResult, Submission } from "../../ports/backend.js";
import type { Equality } from "./merge-equal.js";
import { json, type Row, text, toOperation } from "./row.js";

/** The parameters of the functions that record. */
export function recordValues(items: readonly Submission[]): unknown[] {
  return [
    items.map(({ operation }) => operation.id),
    items.map(({ operation }) => operation.scope),
    items.map(({ operation }) => operation.definition),
    items.map(({ operation }) => operation.key ?? null),
    items.map(({ fingerprint }) => fingerprint),
    items.map(({ operation }) => operation.input),
    items.map(({ operation }) => operation.hidden ?? false),
    items.map(({ initial }) => initial?.token ?? null),
    items.map(({ initial }) => initial?.leaseMs ?? null),
  ];
}

/** Submissions of which at most one can become an operation, which is what the others ask for. */
export const ONE_OPERATION: Equality<Submission> = {
  keyOf: ({ operation }) => operation.key,
  equal: (one, other) =>
    one.fingerprint === other.fingerprint &&
    one.operation.scope === other.operation.scope &&
    one.operation.definition === other.operation.definition,
};

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
      throw keyReused();
    case "locked":
      throw keyInProgress();
    default:
      throw new AsyncReplyError("INTERNAL", "The store cannot keep this.", { cause: row.outcome });
  }
}

function keyReused(): AsyncReplyError {
  const detail = "The key belongs to a submission with another payload.";
  return new AsyncReplyError("IDEMPOTENCY_KEY_REUSED", detail);
}

/** A transaction that is still open holds the key: whether it will be bound is not decided yet. */
export function keyInProgress(): AsyncReplyError {
  const detail =
    "An earlier request with this Idempotency-Key is being recorded. Repeat the request unchanged.";
  return new AsyncReplyError("CREATION_IN_PROGRESS", detail, { retryAfterSeconds: 1 });
}
