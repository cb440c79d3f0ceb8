import { isTerminal } from "../../contract/operation.js";
import { integer, text } from "../shared/row.js";
import type { Changed } from "../sqlite/connection/connection.js";
import type { Statements } from "../sqlite/connection/statements.js";
import type { HeldOperation, StoredEntry } from "../sqlite/records/entry-row.js";
import { createTable, type SqliteTable } from "../sqlite/records/table.js";

const WAITING = "settled_at is null and token is null and behind = 0 and definition = ?";
/** Urgency of operations that name none. They have no entry in the index of urgencies. */
const DEFAULT_URGENCY = 3;

const URGENCIES = `with level(urgency) as (values (0), (1), (2), (4), (5), (6), (7))
  select urgency from level where exists (select 1 from arr_operations indexed by arr_operations_urgency
    where ${WAITING} and arr_operations.urgency <> 3 and arr_operations.urgency = level.urgency)
  union all
  select 3 where exists (select 1 from arr_operations indexed by arr_operations_waiting where ${WAITING} and urgency = 3)
  order by urgency`;
const OLDEST = `select tenant, due_at, seq from arr_operations indexed by arr_operations_waiting
  where ${WAITING} and urgency = ? order by due_at limit 1`;
const OLDEST_OF_OTHERS = `select tenant, due_at, seq from arr_operations indexed by arr_operations_urgency
  where ${WAITING} and urgency <> 3 and urgency = ? order by due_at limit 1`;
const TENANTS = "select tenant from arr_tenants limit 2";

/**
 * Creates the table of an object. While it has one tenant, it finds whose turn it is without an index by tenant.
 *
 * @param onDue called with the times at which something happens to what is written: work is due, or a lease or a deadline ends
 */
export function createObjectTable(
  statements: Statements,
  now: () => number,
  changed: Changed,
  onDue: (at: number) => void,
): SqliteTable {
  const { all, first } = statements;
  const table = createTable(statements, now, changed);
  const applied = <Result>(entry: StoredEntry<HeldOperation>, result: Result): Result => {
    if (isTerminal(entry.operation.state)) return result;
    onDue(entry.token === undefined ? entry.dueAt : entry.leaseEndsAt);
    if (entry.token === undefined && entry.startBy !== undefined) onDue(entry.startBy);
    return result;
  };
  return {
    ...table,
    insert: (operation, ...rest) => {
      table.insert(operation, ...rest);
      const { delayMs = 0, startWithinMs } = operation;
      onDue(now() + delayMs);
      if (startWithinMs !== undefined) onDue(now() + delayMs + startWithinMs);
    },
    apply: (entry, step) => applied(entry, table.apply(entry, step)),
    applyHeld: (entry, step) => applied(entry, table.applyHeld(entry, step)),
    urgencies: (definition) => all(URGENCIES, definition, definition).map((row) => integer(row, "urgency")),
    nextTenant: (definition, urgency, after) => {
      const [only, other] = all(TENANTS);
      if (only === undefined || other !== undefined) return table.nextTenant(definition, urgency, after);
      if (text(only, "tenant") <= after) return undefined;
      const row = first(urgency === DEFAULT_URGENCY ? OLDEST : OLDEST_OF_OTHERS, definition, urgency);
      return (
        row && { tenant: text(row, "tenant"), dueAt: integer(row, "due_at"), oldest: integer(row, "seq") }
      );
    },
  };
}
