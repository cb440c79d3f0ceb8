import type { BatchSettings } from "../../batching/batches.js";
import { AsyncReplyError } from "../../contract/errors.js";
import { isOperationId, type JsonText, type Settlement } from "../../contract/operation.js";
import { CANCELLED } from "../../contract/problem.js";
import type { BegunOperation, ClaimedDefinition, DueOperation, RunningLimits } from "../../ports/claim.js";
import type {
  Lease,
  OperationStore,
  Renewal,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import { integer, json, type Row, state, text, toDue, toOperation } from "../shared/row.js";
import { createCallBatch, noneOrAll, oneForAll, orEmpty } from "./calls/call-batch.js";
import type { Gateway } from "./calls/gateway.js";
import type { LiveEntries } from "./live-entries.js";
import type { Changes } from "./notices/channels.js";
import type { Notifications } from "./notices/notifications.js";

/** The calls of a store about attempts. */
export type AttemptCalls = Pick<OperationStore, "claim" | "renew" | "settle">;

/** Parts of the back end that {@link createAttemptCalls} uses. */
export interface AttemptParts {
  readonly gateway: Gateway<unknown>;
  readonly limits: BatchSettings;
  readonly notifications: Pick<Notifications, "beginLook">;
  readonly liveEntries: LiveEntries;
  readonly changes: Pick<Changes, "changed">;
}

/** Creates the calls about attempts. Concurrent renewals share a statement, and so do concurrent settlements. */
export function createAttemptCalls(parts: AttemptParts): AttemptCalls {
  const { gateway, limits, changes } = parts;
  const renew = createCallBatch<Lease & Renewal, RenewResult>({
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
  });
  const settle = createCallBatch<SettleItem, SettleResult>({
    gateway,
    name: "settle_v1",
    limits,
    bytesOf: settleBytes,
    valuesOf: (items) => settleValues(items),
    resultOf: (row, { settlement }) => toSettleResult(row, settlement),
  });
  return {
    claim: createClaim(parts),
    renew: async (lease, change) => {
      if (!isOperationId(lease.operationId)) return { outcome: "lost" };
      const result = await renew({ ...lease, ...change });
      if (result.outcome === "renewed" && change.progress !== undefined) changes.changed(lease.operationId);
      return result;
    },
    settle: async (lease, settlement) => {
      const { operationId } = lease;
      if (!isOperationId(operationId)) return { outcome: "lost" };
      const result = await settle({ lease, settlement });
      if (result.outcome === "settled") changes.changed(operationId);
      return result;
    },
  };
}

/** Creates the function that claims due work from the table of operations, in one statement. */
function createClaim({
  gateway,
  notifications,
  liveEntries,
  changes,
}: AttemptParts): OperationStore["claim"] {
  /** Turns of tenants, and the earliest leases, by definition: `claim_v1` returns them for the next claim. */
  const turns: Record<string, Row> = {};

  /** Whether the last claim began nothing. */
  let isIdle = true;

  return async ({ definitions, limit, token, operationId, repeated = false }) => {
    const endLook = notifications.beginLook();
    const names = definitions.map(({ name }) => name);
    const since = await liveEntries.since(names, isIdle);
    const rows = await gateway.call("claim_v1", [
      names,
      definitions.map(({ slots }) => slots),
      definitions.map(({ leaseMs }) => leaseMs),
      definitions.map(({ creates = true }) => creates),
      definitions.map(({ suspects }) => suspects),
      since,
      ...limitValues(definitions),
      definitions.map(({ lanes = false }) => lanes),
      JSON.stringify(turns),
      limit,
      token,
      repeated,
      CANCELLED,
      operationId ?? null,
    ]);
    const begun: BegunOperation[] = [];
    const ended: DueOperation[] = [];
    let again = repeated;
    let blocked = false;
    let nextInMs: number | undefined;
    for (const row of rows) {
      if (row.outcome === "begun") begun.push(toBegun(row));
      else if (row.outcome === "ended") ended.push(toDue(row));
      else if (row.outcome === "turns") turns[text(row, "definition")] = json(row, "meta");
      else if (row.outcome === "again") again = true;
      else if (row.outcome === "blocked") blocked = true;
      else nextInMs = integer(row, "place");
    }
    if (operationId === undefined) {
      isIdle = begun.length === 0;
      if (!again && begun.length < limit) endLook(emptied(definitions, begun));
    }
    for (const { operation } of begun) changes.changed(operation.id);
    for (const { id } of ended) changes.changed(id);
    const claimed = { begun, ended, again, blocked };
    return nextInMs === undefined ? claimed : { ...claimed, nextInMs };
  };
}

/** Returns the definitions of which there was less due work than free slots. */
function emptied(
  definitions: readonly ClaimedDefinition[],
  begun: readonly BegunOperation[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { operation } of begun)
    counts.set(operation.definition, (counts.get(operation.definition) ?? 0) + 1);
  return definitions.filter(({ name, slots }) => (counts.get(name) ?? 0) < slots).map(({ name }) => name);
}

/** Returns the limits of some calls, for all tenants and for each. Both lists are empty if no call has any. */
function limitValues(
  items: readonly { readonly limits?: RunningLimits | undefined }[],
): readonly [running: readonly number[], runningPerTenant: readonly number[]] {
  if (items.every(({ limits }) => limits === undefined)) return [[], []];
  return [
    items.map(({ limits }) => limits?.running ?? 0),
    items.map(({ limits }) => limits?.runningPerTenant ?? 0),
  ];
}

/** Converts the row of an attempt that has begun. */
function toBegun(row: Row): BegunOperation {
  return { operation: toOperation(row), previousLost: row.previous_lost === true };
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
