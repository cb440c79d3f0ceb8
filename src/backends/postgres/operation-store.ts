import { isOperationId } from "../../contract/operation.js";
import { CANCELLED, EXPIRED } from "../../contract/problem.js";
import type { BoundedCount, DefinitionStats, InspectedOperation } from "../../ports/operation-reads.js";
import type { CancelOutcome, OperationStore, RedriveResult } from "../../ports/operation-store.js";
import {
  integer,
  type Row,
  state,
  text,
  toBoundedCount,
  toListed,
  toOperation,
  toOverdue,
  toPaused,
} from "../shared/row.js";
import type { AttemptCalls } from "./attempts.js";
import { orEmpty } from "./calls/call-batch.js";
import type { Gateway } from "./calls/gateway.js";
import { ABSENT_MS, extraOf } from "./calls/recording.js";
import type { Changes } from "./notices/channels.js";

const CANCEL_OUTCOMES: readonly CancelOutcome[] = ["cancelled", "requested", "terminal"];

/** Listeners in this process and in others to which the store reports. */
export interface StoreNotices {
  readonly changes: Changes;
  readonly cancellations: Pick<Changes, "changed" | "watch">;
}

/** Creates a store that keeps each operation in a row. */
export function createPostgresOperationStore(
  gateway: Gateway<unknown>,
  attempts: AttemptCalls,
  { changes, cancellations }: StoreNotices,
): OperationStore {
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
    ...attempts,
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

/** Converts the row that `inspect_v3` returns. */
function toInspected(row: Row): InspectedOperation {
  return {
    operation: toOperation(row),
    ...(row.token !== null && { token: text(row, "token") }),
    ...(row.due_at !== null && { dueAt: integer(row, "due_at"), isDue: row.is_due === true }),
    ...(row.running_of_tenant !== null && { runningOfTenant: integer(row, "running_of_tenant") }),
  };
}

/** Converts the row that `stats_v1` returns for one definition. */
function toStats(row: Row): DefinitionStats {
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
function toRedriveResult(row: Row): RedriveResult {
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
