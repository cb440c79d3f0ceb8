import type { PlaceTable } from "../../../engine/table.js";
import { integer } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";
import type { Seq, StoredEntry } from "./entry-row.js";

const RUNNING = `settled_at is null and token is not null and definition = ? and state = 'pending'`;
const IN_LANE = `settled_at is null and lane is not null and definition = ? and tenant = ? and lane = ?
  and state = 'pending'`;
const RUNNING_OF_TENANT = `${RUNNING} and limited = 1 and tenant = ?`;
const COUNT = "select count(*) as taken, min(lease_ends_at) as first from arr_operations indexed by";
const COUNT_ALL = `${COUNT} arr_operations_leased where ${RUNNING}`;
const COUNT_OF_TENANT = `${COUNT} arr_operations_places where ${RUNNING_OF_TENANT}`;
const COUNT_LIVE = `${COUNT_OF_TENANT} and lease_ends_at > ?`;
const LIMIT = "update arr_operations set limited = 1 where seq = ? and limited = 0";
/** Takes an expired lease away. The operation is due since the end of that lease. */
const RELEASE = "set token = null, previous_lost = 1, due_at = lease_ends_at where";
const RELEASE_ONE = `update arr_operations ${RELEASE} seq = ?`;
/** Cancelled operations keep their place, because the claim ends them at once. */
const EXPIRED = "and lease_ends_at <= ? and cancel_requested = 0";
const RELEASE_ALL = `update arr_operations indexed by arr_operations_leased ${RELEASE} ${RUNNING} ${EXPIRED}`;
const RELEASE_OF_TENANT = `update arr_operations indexed by arr_operations_places ${RELEASE} ${RUNNING_OF_TENANT} ${EXPIRED}`;
const HOLDER = `select seq, lease_ends_at from arr_operations indexed by arr_operations_lane_held
  where ${IN_LANE} and token is not null and seq <> ? limit 1`;
const FIRST = `select seq from arr_operations indexed by arr_operations_lanes
  where ${IN_LANE} order by created_at, id limit 1`;
const SET_BEHIND = "update arr_operations set behind = ? where seq = ? and behind <> ?";

/** Creates the searches and steps for limits and lanes. */
export function createPlaceTable(statements: Statements, now: () => number): PlaceTable<StoredEntry, Seq> {
  const { run, first } = statements;
  return {
    now,
    running: (definition, tenant) => {
      const row =
        tenant === undefined ? first(COUNT_ALL, definition) : first(COUNT_OF_TENANT, definition, tenant);
      return { count: integer(row ?? {}, "taken"), firstEndsAt: () => Number(row?.first) };
    },
    countLive: (definition, tenant) => integer(first(COUNT_LIVE, definition, tenant, now()) ?? {}, "taken"),
    releaseExpired: (definition, tenant) => {
      if (tenant === undefined) run(RELEASE_ALL, definition, now());
      else run(RELEASE_OF_TENANT, definition, tenant, now());
    },
    limited: ({ seq }) => void run(LIMIT, seq),
    holderOfLane: ({ seq, operation: { definition, tenant, lane = "" } }) => {
      const holder = first(HOLDER, definition, tenant, lane, seq);
      return holder && { named: integer(holder, "seq"), leaseEndsAt: Number(holder.lease_ends_at) };
    },
    firstOfLane: ({ definition, tenant, lane = "" }) => {
      const row = first(FIRST, definition, tenant, lane);
      return row && integer(row, "seq");
    },
    nameOf: ({ seq }) => seq,
    release: (seq) => void run(RELEASE_ONE, seq),
    setBehind: (seq, isBehind) => void run(SET_BEHIND, isBehind ? 1 : 0, seq, isBehind ? 1 : 0),
  };
}
