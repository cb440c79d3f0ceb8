import type { BoundedCount, DefinitionStats, RedriveResult } from "../../../ports/operation-store.js";
import { toBoundedCount } from "../../rows/bounded-count.js";
import { integer, type Row, state, text } from "../../rows/row.js";

/** Converts the row that `stats_v1` returns for one definition. */
export function toStats(row: Row): DefinitionStats {
  return {
    definition: text(row, "definition"),
    due: toCount(row, "due"),
    running: toCount(row, "running"),
    scheduled: toCount(row, "scheduled"),
    failed: toCount(row, "failed"),
    ...(row.oldest_due_ms === null ? {} : { oldestDueMs: integer(row, "oldest_due_ms") }),
  };
}

function toCount(row: Row, column: string): BoundedCount {
  return toBoundedCount(integer(row, column));
}

/** Converts the row that `redrive_v1` returns. */
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
