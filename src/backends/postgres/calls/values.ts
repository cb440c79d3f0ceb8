import type { Equality } from "../../../batching/merge-equal.js";
import type { JsonText, NewOperation, Settlement } from "../../../contract/operation.js";
import { CANCELLED } from "../../../contract/problem.js";
import type { RunningLimits } from "../../../ports/claim.js";
import type { Lease } from "../../../ports/operation-store.js";
import type { Submission } from "../../../ports/submission.js";
import type { Row } from "../../shared/row.js";

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

/** Returns the values of all items, or only one if all are equal. Both sides take time for each element of an array. */
function oneForAll<Item, Value>(items: readonly Item[], read: (item: Item) => Value): readonly Value[] {
  const first = read(items[0] as Item);
  return items.every((item) => read(item) === first) ? [first] : items.map(read);
}

/** Returns the values of all items, or an empty array if none of them has one. */
function noneOrAll<Item, Value>(
  items: readonly Item[],
  none: Value,
  read: (item: Item) => Value,
): readonly Value[] {
  return items.every((item) => read(item) === none) ? [] : items.map(read);
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

/** Returns the limits of some calls, for all tenants and for each. Both lists are empty if no call has any. */
export function limitValues(
  items: readonly { readonly limits?: RunningLimits | undefined }[],
): readonly [running: readonly number[], runningPerTenant: readonly number[]] {
  if (items.every(({ limits }) => limits === undefined)) return [[], []];
  return [
    items.map(({ limits }) => limits?.running ?? 0),
    items.map(({ limits }) => limits?.runningPerTenant ?? 0),
  ];
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
export function settleBytes({ settlement }: SettleItem): number {
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

/**
 * Returns an optional text as an element of an array parameter, and "" for an absent text. A text that is present is
 * never empty. Nulls are avoided because Postgres reads them as the text "NULL" in arrays if `array_nulls` is off.
 */
export function orEmpty(text: string | undefined): string {
  return text ?? "";
}
