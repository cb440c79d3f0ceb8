import { AsyncReplyError } from "../../core/errors.js";
import { isOperationId, isTerminal } from "../../core/operation.js";
import { CANCELLED } from "../../core/problem.js";
import type {
  BeginResult,
  CancelOutcome,
  Lease,
  OperationStore,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import type { BatchLimits } from "./batches.js";
import { createCallBatch } from "./call-batch.js";
import type { Changes } from "./changes.js";
import type { Gateway } from "./gateway.js";
import { integer, type Row, state, text, toOperation } from "./row.js";
import { type SettleItem, settleBytes, settleValues } from "./settle-values.js";

const NIL = "00000000-0000-0000-0000-000000000000";
const CANCEL_OUTCOMES: readonly CancelOutcome[] = ["cancelled", "requested", "terminal"];

/** Keeps operations in rows. What comes at the same time shares a statement. */
export function createPostgresOperationStore(
  gateway: Gateway<unknown>,
  limits: BatchLimits,
  changes: Changes,
): OperationStore {
  const begin = createCallBatch<BeginItem, BeginResult>({
    gateway,
    name: "begin_v1",
    limits,
    valuesOf: (items) => [
      items.map(({ id }) => id),
      items.map(({ token }) => token),
      items.map(({ leaseMs }) => leaseMs),
      CANCELLED,
    ],
    resultOf: toBeginResult,
  });
  const renew = createCallBatch<RenewItem, RenewResult>({
    gateway,
    name: "renew_v1",
    limits,
    bytesOf: ({ progress = "" }) => progress.length,
    valuesOf: (items) => [
      items.map(({ operationId }) => operationId),
      items.map(({ token }) => token),
      items.map(({ leaseMs }) => leaseMs),
      items.map(({ progress = null }) => progress),
    ],
    resultOf: toRenewResult,
  });
  const settle = createCallBatch<SettleItem, SettleResult>({
    gateway,
    name: "settle_v1",
    limits,
    bytesOf: settleBytes,
    valuesOf: settleValues,
    resultOf: toSettleResult,
  });
  const REPEATABLE = { repeatable: true };
  const call: Gateway<unknown>["call"] = (name, values) => gateway.call(name, values, REPEATABLE);

  return {
    create: async ({ id, scope, definition, key = null, input, hidden = false }, initial) => {
      const preparing = initial?.state === "preparing" ? initial : undefined;
      const error = initial?.state === "failed" ? initial.error : null;
      const values = [id, scope, definition, key, input, hidden, initial?.state ?? "pending"];
      const lease = [preparing?.token ?? null, preparing?.leaseMs ?? null];
      const [row] = await call("create_v1", [...values, ...lease, error]);
      if (row?.created !== true) return "exists";
      changes.changed(id);
      return "created";
    },
    get: async (id, scope) => {
      if (!isOperationId(id)) return undefined;
      const [row] = await call("get_v1", [id, scope]);
      return row && toOperation(row);
    },
    beginAttempt: async (id, lease) => {
      if (!isOperationId(id)) return { outcome: "unknown" };
      const result = await begin({ id, ...lease });
      // What was asked to be cancelled may have ended by this.
      if (result.outcome === "terminal") changes.ended(id);
      return result;
    },
    renew: async (lease, change) => {
      if (!isOperationId(lease.operationId)) return { outcome: "lost" };
      const result = await renew({ ...lease, ...change });
      if (result.outcome === "renewed" && change.progress !== undefined) changes.changed(lease.operationId);
      return result;
    },
    settle: async (lease, settlement, followUps = []) => {
      const { operationId } = lease;
      if (!isOperationId(operationId)) return { outcome: "lost" };
      const result = await settle({ lease, settlement, followUps });
      if (result.outcome === "lost") return result;
      if (isTerminal(result.state)) changes.ended(operationId);
      else changes.changed(operationId);
      return result;
    },
    requestCancel: async (id, scope) => {
      if (!isOperationId(id)) return "unknown";
      const [row] = await call("cancel_v1", [id, scope, CANCELLED]);
      const found = CANCEL_OUTCOMES.find((outcome) => outcome === row?.outcome) ?? "unknown";
      if (found === "cancelled") changes.ended(id);
      return found;
    },
    takeDue: async ({ definitions, limit }) => {
      const rows = await gateway.call("take_due_v1", [definitions, limit]);
      return rows.map((row) => ({ id: text(row, "id"), definition: text(row, "definition") }));
    },
    takeExpired: async ({ retentionMs, limit }) => {
      const rows = await gateway.call("take_expired_v1", [retentionMs, limit]);
      return rows.map((row) => ({
        id: text(row, "id"),
        scope: text(row, "scope"),
        definition: text(row, "definition"),
        ...(row.key === null ? {} : { key: text(row, "key") }),
      }));
    },
    remove: async (ids, { afterMs }) => {
      await call("remove_v1", [ids.filter(isOperationId), afterMs]);
    },
    watch: (onChange) => changes.watch(onChange),
    list: async ({ scope = null, definition = null, state: wanted = null, after = NIL, limit }) => {
      const rows = await call("list_v1", [scope, definition, wanted, after, limit]);
      return rows.map(toOperation);
    },
  };
}

interface BeginItem {
  readonly id: string;
  readonly token: string;
  readonly leaseMs: number;
}

interface RenewItem extends Lease {
  readonly leaseMs: number;
  readonly progress?: string;
}

/** What `begin_v1` says of one operation. */
function toBeginResult(row: Row | undefined): BeginResult {
  switch (row?.outcome) {
    case "begun":
      return toBegun(row);
    case "not-due":
      return { outcome: "not-due", dueInMs: integer(row, "due_in_ms") };
    case "busy":
    case "terminal":
      return { outcome: row.outcome };
    default:
      return { outcome: "unknown" };
  }
}

/** What `renew_v1` says of one lease. */
function toRenewResult(row: Row | undefined): RenewResult {
  if (row === undefined) return { outcome: "lost" };
  if (row.outcome === "renewed")
    return { outcome: "renewed", cancelRequested: row.cancel_requested === true };
  throw new AsyncReplyError("STORE_UNAVAILABLE", "Somebody has locked the operation.");
}

/** An attempt that has begun. */
export function toBegun(row: Row): Extract<BeginResult, { readonly outcome: "begun" }> {
  return { outcome: "begun", operation: toOperation(row), previousLost: row.previous_lost === true };
}

/** What `settle_v1` says of one settlement. */
export function toSettleResult(row: Row | undefined): SettleResult {
  return row === undefined ? { outcome: "lost" } : { outcome: "settled", state: state(row) };
}
