import type { DefinitionStats } from "../../../ports/operation-store.js";
import { MAX_COUNT, toBoundedCount } from "../../rows/bounded-count.js";
import { integer } from "../../rows/row.js";
import type { SqliteValue } from "../connection/sqlite-database.js";
import type { Statements } from "../connection/statements.js";

const WAITING = "announce_at is not null and token is null and state = 'pending'";
const LEASED = "announce_at is not null and token is not null and state = 'pending'";

/** Counts the operations of a definition. Every count stops at {@link MAX_COUNT} and uses an index of its rows. */
export function readStats(statements: Statements, definition: string, now: number): DefinitionStats {
  const count = (column: string, index: string, condition: string, ...values: SqliteValue[]): Counted =>
    countRows(statements, { column, index, condition, values: [definition, ...values] });
  const due = count("due_at", "waiting", `${WAITING} and due_at <= ?`, now);
  const lost = count("lease_ends_at", "leased", `${LEASED} and lease_ends_at <= ?`, now);
  const scheduled = count("due_at", "waiting", `${WAITING} and due_at > ?`, now);
  const running = count("lease_ends_at", "leased", `${LEASED} and lease_ends_at > ?`, now);
  const failed = count("created_at", "failed_open", "state = 'failed' and retried_by is null");
  const oldest = Math.min(due.first, lost.first);
  return {
    definition,
    due: toBoundedCount(due.rows + lost.rows),
    running: toBoundedCount(running.rows),
    scheduled: toBoundedCount(scheduled.rows),
    failed: toBoundedCount(failed.rows),
    ...(oldest === Number.POSITIVE_INFINITY ? {} : { oldestDueMs: now - oldest }),
  };
}

interface Counted {
  readonly rows: number;
  /** Smallest value of the column. Infinity without rows. */
  readonly first: number;
}

interface CountRequest {
  readonly column: string;
  readonly index: string;
  readonly condition: string;
  readonly values: readonly SqliteValue[];
}

function countRows(statements: Statements, { column, index, condition, values }: CountRequest): Counted {
  const row =
    statements.first(
      `select count(*) as found, min(${column}) as first from (select ${column} from arr_operations
       indexed by arr_operations_${index} where definition = ? and ${condition} order by ${column} limit ?)`,
      ...values,
      MAX_COUNT + 1,
    ) ?? {};
  const rows = integer(row, "found");
  return { rows, first: rows === 0 ? Number.POSITIVE_INFINITY : Number(row.first) };
}
