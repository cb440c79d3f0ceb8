import type { BatchSettings } from "../../batching/batches.js";
import { isOperationId } from "../../contract/operation.js";
import { CANCELLED, EXPIRED } from "../../contract/problem.js";
import type {
  CancelOutcome,
  Lease,
  OperationStore,
  Renewal,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import { integer, toListed, toOperation, toOverdue } from "../shared/row.js";
import { createCallBatch } from "./calls/call-batch.js";
import type { Gateway } from "./calls/gateway.js";
import { toInspected, toRedriveResult, toRenewResult, toSettleResult, toStats } from "./calls/results.js";
import { ABSENT_MS, extraOf, orEmpty, type SettleItem, settleBytes, settleValues } from "./calls/values.js";
import type { Changes } from "./notices/changes.js";

const CANCEL_OUTCOMES: readonly CancelOutcome[] = ["cancelled", "requested", "terminal"];

/** Listeners in this process and in others to which the store reports. */
export interface StoreNotices {
  readonly changes: Changes;
  readonly cancellations: Pick<Changes, "changed" | "watch">;
}

/** Creates a store that keeps each operation in a row. Concurrent calls about attempts share a statement. */
export function createPostgresOperationStore(
  gateway: Gateway<unknown>,
  limits: BatchSettings,
  claim: OperationStore["claim"],
  { changes, cancellations }: StoreNotices,
): OperationStore {
  const batches = createAttemptBatches(gateway, limits);
  const REPEATABLE = { repeatable: true };
  const call: Gateway<unknown>["call"] = (name, values) => gateway.call(name, values, REPEATABLE);

  return {
    keeps: ["deadlines", "lanes", "limits"],
    create: async (operation, initial) => {
      const { id, tenant, definition, principal, key, input, retentionMs, failedRetentionMs, meta } =
        operation;
      const preparing = initial?.state === "preparing" ? initial : undefined;
      const error = initial?.state === "failed" ? initial.error : undefined;
      const [row] = await call("create_v1", [
        ...[id, tenant, definition, orEmpty(principal), orEmpty(key)],
        ...[input, retentionMs, failedRetentionMs ?? ABSENT_MS],
        ...[
          orEmpty(meta),
          extraOf(operation),
          orEmpty(preparing?.token),
          preparing?.leaseMs ?? 0,
          orEmpty(error),
        ],
      ]);
      if (row?.created !== true) return "exists";
      changes.created(id);
      return "created";
    },
    get: async (id, tenant) => {
      if (!isOperationId(id)) return undefined;
      const [row] = await call("get_v1", [id, tenant]);
      return row && toOperation(row);
    },
    claim,
    renew: async (lease, change) => {
      if (!isOperationId(lease.operationId)) return { outcome: "lost" };
      const result = await batches.renew({ ...lease, ...change });
      if (result.outcome === "renewed" && change.progress !== undefined) changes.changed(lease.operationId);
      return result;
    },
    settle: async (lease, settlement) => {
      const { operationId } = lease;
      if (!isOperationId(operationId)) return { outcome: "lost" };
      const result = await batches.settle({ lease, settlement });
      if (result.outcome === "settled") changes.changed(operationId);
      return result;
    },
    requestCancel: async (id, tenant) => {
      if (!isOperationId(id)) return "unknown";
      const [row] = await call("cancel_v1", [id, tenant, CANCELLED]);
      const found = CANCEL_OUTCOMES.find((outcome) => outcome === row?.outcome) ?? "unknown";
      if (found === "cancelled" || found === "requested") changes.changed(id);
      if (found === "requested") cancellations.changed(id);
      return found;
    },
    endOverdue: async ({ limit }) => {
      const overdue = (await gateway.call("end_overdue_v1", [limit, EXPIRED])).map(toOverdue);
      for (const { id } of overdue) changes.changed(id);
      return overdue;
    },
    watch: changes.watch,
    watchCancellations: cancellations.watch,
    getMany: async (ids) => {
      const rows = await call("get_many_v1", [ids.filter(isOperationId)]);
      return rows.map(toOperation);
    },
    inspect: async ({ id, places = false }) => {
      if (!isOperationId(id)) return undefined;
      const [row] = await call("inspect_v3", [id, places]);
      return row && toInspected(row);
    },
    list: async ({ internal = false, after, limit, ...filter }) => {
      const rows = await call("list_v1", [
        ...[filter.tenant ?? null, filter.definition ?? null, filter.state ?? null],
        ...[filter.createdFrom ?? null, filter.createdBefore ?? null],
        ...[after?.createdAt ?? null, after?.id ?? null, internal, limit],
      ]);
      return rows.map(toListed);
    },
    stats: async ({ definitions }) => {
      const rows = await call("stats_v1", [definitions]);
      return rows.map(toStats);
    },
    countPending: async (requests) => {
      const rows = await call("count_pending_v1", [
        requests.map(({ definition }) => definition),
        requests.map(({ tenant = "" }) => tenant),
        requests.map(({ most }) => most),
      ]);
      return rows.map((row) => integer(row, "pending"));
    },
    redrive: async (id, successor) => {
      if (!isOperationId(id)) return { outcome: "unknown" };
      const { keepCheckpoint = false } = successor;
      const [row = {}] = await call("redrive_v2", [id, successor.id, successor.onEndId, keepCheckpoint]);
      const result = toRedriveResult(row);
      if (result.outcome === "redriven" && result.created) {
        changes.changed(id);
        changes.created(result.operationId);
      }
      return result;
    },
    pause: async (definition, by) => {
      await call("pause_v1", [definition, orEmpty(by)]);
    },
    resume: async (definition) => {
      await call("resume_v1", [definition]);
    },
  };
}

type RenewItem = Lease & Renewal;

/** Calls about attempts. Concurrent calls of one kind share a statement. */
interface AttemptBatches {
  renew(item: RenewItem): Promise<RenewResult>;
  settle(item: SettleItem): Promise<SettleResult>;
}

/** Creates the batches: one for each kind of call. */
function createAttemptBatches(gateway: Gateway<unknown>, limits: BatchSettings): AttemptBatches {
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
