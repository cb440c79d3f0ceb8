import type { ClaimSearches, Search } from "../../../engine/table.js";
import { integer, text } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";
import { type Seq, type StoredEntry, toEntry, withInput } from "./entry-row.js";
import { isPaused } from "./operator-queries.js";

/** Condition of operations `o` that are not overdue. Its parameter is the time. */
const IN_TIME = "(o.start_by is null or o.previous_lost = 1 or o.start_by > ?)";
/** Condition of operations `o` that may begin. Its parameters are `creates`, `suspects` and the time. */
const MAY_BEGIN = `(? = 1 or o.state <> 'preparing') and (? = 1 or o.previous_lost = 0) and ${IN_TIME}`;

// The conditions name the columns of the partial indexes.
const LEASED = "o.settled_at is null and o.token is not null and o.definition = ?";
const WAITING = "o.settled_at is null and o.token is null and o.behind = 0 and o.definition = ?";

const LOST = `${withInput("arr_operations_leased")} where ${LEASED} and o.lease_ends_at <= ?
  and (? = 1 or o.state <> 'preparing') and (? = 1 or o.cancel_requested = 1)
  and (? = 0 or o.cancel_requested = 1 or o.state = 'preparing')
  order by o.lease_ends_at limit ?`;
const DUE = `${withInput("arr_operations_waiting")} where ${WAITING} and o.due_at <= ? and ${MAY_BEGIN} order by o.due_at limit ?`;
const COUNT_DUE = `select count(*) as found from (select 1 from arr_operations o indexed by arr_operations_waiting
  where ${WAITING} and o.due_at <= ? limit ?)`;
const URGENCIES = `with level(urgency) as (values (0), (1), (2), (3), (4), (5), (6), (7)) select urgency from level
  where exists (select 1 from arr_operations o indexed by arr_operations_turns where ${WAITING} and o.urgency = level.urgency)`;
const NEXT_TENANT = `select o.tenant, o.due_at, o.seq from arr_operations o indexed by arr_operations_turns
  where ${WAITING} and o.urgency = ? and o.tenant > ? order by o.tenant, o.due_at limit 1`;
const OLDEST = `${withInput()} where o.seq in (select value from json_each(?)) and ${MAY_BEGIN}`;
const OF_TENANT = `${withInput("arr_operations_turns")}
  where ${WAITING} and o.urgency = ? and o.tenant = ? and o.due_at <= ? and ${MAY_BEGIN} order by o.due_at limit ?`;
const HELD = `${withInput("arr_operations_leased")} where ${LEASED} and o.token = ? and o.lease_ends_at > ?`;
const BEHIND = `select 1 from arr_operations indexed by arr_operations_behind
  where settled_at is null and behind = 1 and definition = ? limit 1`;
const NEXT_DUE = `select o.due_at as at from arr_operations o indexed by arr_operations_waiting
  where ${WAITING} and o.due_at > ? and (? = 1 or o.state <> 'preparing') order by o.due_at limit 1`;
const NEXT_LOST = `select o.lease_ends_at as at from arr_operations o indexed by arr_operations_leased
  where ${LEASED} and o.lease_ends_at > ? and (? = 1 or o.state <> 'preparing') order by o.lease_ends_at limit 1`;

/** Creates the searches of a database. */
export function createClaimSearches(
  statements: Statements,
  now: () => number,
): ClaimSearches<StoredEntry, Seq> {
  const { all, first } = statements;

  function earliest(sql: string, { definition, now: after, creates }: Search): number {
    const row = first(sql, definition, after, flag(creates));
    return row === undefined ? Number.POSITIVE_INFINITY : integer(row, "at");
  }

  return {
    now,
    isPaused: (definition) => isPaused(statements, definition),
    lost: ({ definition, creates, suspects, paused, now: at }, limit) =>
      all(LOST, definition, at, flag(creates), flag(suspects), flag(paused), limit).map(toEntry),
    waiting: (search, limit) =>
      all(DUE, search.definition, search.now, ...mayBegin(search), limit).map(toEntry),
    hasMoreDue: ({ definition, now: at }, than) =>
      first(COUNT_DUE, definition, at, than + 1)?.found === than + 1,
    urgencies: (definition) => all(URGENCIES, definition).map((row) => integer(row, "urgency")),
    nextTenant: (definition, urgency, after) => {
      const row = first(NEXT_TENANT, definition, urgency, after);
      return (
        row && { tenant: text(row, "tenant"), dueAt: integer(row, "due_at"), oldest: integer(row, "seq") }
      );
    },
    ofTenants: (search, urgency, shares) => {
      // With more tenants than slots, one statement reads the only operation of each.
      const single = shares.flatMap(({ oldest, most }) => (most === 1 ? oldest : []));
      const rows = single.length === 0 ? [] : all(OLDEST, JSON.stringify(single), ...mayBegin(search));
      const bySeq = new Map(rows.map((row) => [integer(row, "seq"), row]));
      const { definition, now: at } = search;
      return shares
        .flatMap(
          ({ tenant, oldest, most }) =>
            bySeq.get(oldest) ?? all(OF_TENANT, definition, urgency, tenant, at, ...mayBegin(search), most),
        )
        .map(toEntry);
    },
    held: (definition, token) => all(HELD, definition, token, now()).map(toEntry),
    hasBehind: (definition) => first(BEHIND, definition) !== undefined,
    nextDueAt: (search) => {
      const at = Math.min(earliest(NEXT_DUE, search), earliest(NEXT_LOST, search));
      return at === Number.POSITIVE_INFINITY ? undefined : at;
    },
  };
}

function mayBegin({ creates, suspects, now }: Search): readonly [number, number, number] {
  return [flag(creates), flag(suspects), now];
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}
