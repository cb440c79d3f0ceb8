import type { DefinitionStats, ListRequest, PendingRequest } from "../../../ports/operation-reads.js";
import {
  integer,
  LISTED_COLUMNS,
  MAX_COUNT,
  TIME_COLUMNS,
  toBoundedCount,
  toPaused,
} from "../../shared/row.js";
import type { SqliteValue } from "../connection/sqlite-database.js";
import type { Statements } from "../connection/statements.js";

/** Statement that returns a page of a list, with its parameters. */
export interface ListQuery {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

/** Returns the statement for a page. Each filter has an index, which also has the order of the page. */
export function listQuery(request: ListRequest): ListQuery {
  const { tenant, definition, state, createdFrom, createdBefore, after, internal = false, limit } = request;
  const conditions: string[] = [];
  const values: SqliteValue[] = [];
  const where = (condition: string, ...bound: SqliteValue[]): void => {
    conditions.push(condition);
    values.push(...bound);
  };
  const { index, condition } = indexFor(request);
  if (condition !== undefined) where(condition);
  if (!internal) where("hidden = 0 and state <> 'preparing'");
  if (tenant !== undefined) where("tenant = ?", tenant);
  if (definition !== undefined) where("definition = ?", definition);
  if (state !== undefined) where("state = ?", state);
  if (createdFrom !== undefined) where("created_at >= ?", createdFrom);
  if (createdBefore !== undefined) where("created_at < ?", createdBefore);
  if (after !== undefined) where("(created_at, id) < (?, ?)", after.createdAt, after.id);
  const filter = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  return {
    sql: `select ${[...LISTED_COLUMNS, ...TIME_COLUMNS].join(", ")}
      from arr_operations indexed by ${index} ${filter} order by created_at desc, id desc limit ?`,
    values: [...values, limit],
  };
}

/** Returns the index for a list, with the condition of its entries. */
function indexFor({ tenant, definition, state }: ListRequest): {
  readonly index: string;
  readonly condition?: string;
} {
  if (state === "pending" || state === "preparing")
    return { index: "arr_operations_unfinished", condition: "settled_at is null" };
  if (state === "failed") {
    const of = tenant !== undefined ? "_of_tenant" : definition !== undefined ? "_of_definition" : "";
    return { index: `arr_operations_failed${of}`, condition: "state = 'failed'" };
  }
  return { index: tenant === undefined ? "arr_operations_created" : "arr_operations_of_tenant" };
}

const WAITING = "settled_at is null and token is null and behind = 0 and state = 'pending'";
const LEASED = "settled_at is null and token is not null and state = 'pending'";

/** Counts the operations of a definition. Every count stops at {@link MAX_COUNT} and uses an index of its rows. */
export function readStats(statements: Statements, definition: string, now: number): DefinitionStats {
  const count = (column: string, index: string, condition: string, ...values: SqliteValue[]): Counted =>
    countRows(statements, { column, index, condition, values: [definition, ...values] });
  const due = count("due_at", "waiting", `${WAITING} and due_at <= ?`, now);
  const behind = count("due_at", "behind", "settled_at is null and behind = 1");
  const lost = count("lease_ends_at", "leased", `${LEASED} and lease_ends_at <= ?`, now);
  const scheduled = count("due_at", "waiting", `${WAITING} and due_at > ?`, now);
  const running = count("lease_ends_at", "leased", `${LEASED} and lease_ends_at > ?`, now);
  const failed = count("created_at", "failed_open", "state = 'failed' and retried_by is null");
  const oldest = Math.min(due.first, behind.first, lost.first);
  return {
    definition,
    due: toBoundedCount(due.rows + behind.rows + lost.rows),
    running: toBoundedCount(running.rows),
    scheduled: toBoundedCount(scheduled.rows),
    failed: toBoundedCount(failed.rows),
    ...(oldest === Number.POSITIVE_INFINITY ? {} : { oldestDueMs: now - oldest }),
    ...toPaused(statements.first(PAUSED, definition) ?? {}),
  };
}

const PAUSED = "select since as paused_since, paused_by from arr_paused where definition = ?";

/** Returns whether a definition is paused. */
export function isPaused(statements: Statements, definition: string): boolean {
  return statements.first(PAUSED, definition) !== undefined;
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

const WAITING_ANY = `select 1 from arr_operations indexed by arr_operations_waiting
  where settled_at is null and token is null and behind = 0 and definition = ?`;
const RUNNING = `select 1 from arr_operations indexed by arr_operations_leased
  where settled_at is null and token is not null and definition = ?`;
const BEHIND = `select 1 from arr_operations indexed by arr_operations_behind
  where settled_at is null and behind = 1 and definition = ?`;
const RUNNING_OF_TENANT = `${RUNNING} and tenant = ?`;
const WAITING_OF_TENANT = `select 1 from arr_operations indexed by arr_operations_turns
  where settled_at is null and token is null and behind = 0 and definition = ? and tenant = ?
  and urgency in (0, 1, 2, 3, 4, 5, 6, 7)`;
const BEHIND_OF_TENANT = `select 1 from arr_operations indexed by arr_operations_lanes
  where settled_at is null and lane is not null and definition = ? and tenant = ? and behind = 1`;

/** Counts the operations that have not ended. Looks at no operations of other tenants but those that run. */
export function countPending(statements: Statements, request: PendingRequest): number {
  const { definition, tenant, most } = request;
  const of = tenant === undefined ? [definition] : [definition, tenant];
  const parts =
    tenant === undefined
      ? [WAITING_ANY, RUNNING, BEHIND]
      : [RUNNING_OF_TENANT, WAITING_OF_TENANT, BEHIND_OF_TENANT];
  let found = 0;
  for (const rows of parts)
    found += integer(
      statements.first(`select count(*) as found from (${rows} limit ?)`, ...of, most - found) ?? {},
      "found",
    );
  return found;
}
