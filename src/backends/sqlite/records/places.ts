import type { FreePlaces } from "../../../engine/table.js";
import type { RunningLimits } from "../../../ports/claim.js";
import { integer } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";
import type { HeldOperation, StoredEntry } from "./entry-row.js";

/** Decides whether operations may begin: by the limits of their definition and by their lanes. */
export interface Places {
  /**
   * Returns whether a place is free for a due operation, which then begins. If it waits for its lane, no claim finds it until its
   * turn.
   */
  isFree(entry: StoredEntry, limits: RunningLimits | undefined): boolean;
  /** Returns the free places of a definition. */
  free(definition: string, limits: RunningLimits): FreePlaces;
  /** Follows an operation of a lane whose attempt or which itself has ended: lets the next one have its turn. */
  left(operation: HeldOperation): void;
}

const RUNNING = `settled_at is null and token is not null and definition = ? and state = 'pending'`;
const IN_LANE = `settled_at is null and lane is not null and definition = ? and tenant = ? and lane = ?
  and state = 'pending'`;
const RUNNING_OF_TENANT = `${RUNNING} and limited = 1 and tenant = ?`;
const COUNT = "select count(*) as taken, min(lease_ends_at) as first from arr_operations indexed by";
const COUNT_ALL = `${COUNT} arr_operations_leased where ${RUNNING}`;
const COUNT_OF_TENANT = `${COUNT} arr_operations_places where ${RUNNING_OF_TENANT}`;
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
const FIRST = `select seq, behind from arr_operations indexed by arr_operations_lanes
  where ${IN_LANE} order by created_at, id limit 1`;
const PROMOTE = "update arr_operations set behind = 0 where seq = ? and behind = 1";

/** Creates the places of a database. Every method runs within a transaction. */
export function createPlaces(statements: Statements, now: () => number): Places {
  const { run, first } = statements;

  /** Returns how many places are taken. If these are all, takes expired leases away first. */
  function taken(limit: number, definition: string, ...tenant: readonly [] | readonly [string]): number {
    const [count, release] =
      tenant.length === 0 ? [COUNT_ALL, RELEASE_ALL] : [COUNT_OF_TENANT, RELEASE_OF_TENANT];
    const row = first(count, definition, ...tenant) ?? {};
    const found = integer(row, "taken");
    if (found < limit || Number(row.first) > now()) return found;
    run(release, definition, ...tenant, now());
    return integer(first(count, definition, ...tenant) ?? {}, "taken");
  }

  function free(
    definition: string,
    { running = Number.POSITIVE_INFINITY, runningPerTenant = Number.POSITIVE_INFINITY }: RunningLimits,
  ): FreePlaces {
    return {
      free: running === Number.POSITIVE_INFINITY ? running : running - taken(running, definition),
      freeFor: (tenant) =>
        runningPerTenant === Number.POSITIVE_INFINITY
          ? runningPerTenant
          : runningPerTenant - taken(runningPerTenant, definition, tenant),
    };
  }

  function hasTurn({ seq, operation }: StoredEntry): boolean {
    const { definition, tenant, lane = "" } = operation;
    const names = [definition, tenant, lane] as const;
    const holder = first(HOLDER, ...names, seq);
    if (holder !== undefined && Number(holder.lease_ends_at) > now()) return false;
    if (holder !== undefined) run(RELEASE_ONE, integer(holder, "seq"));
    const next = first(FIRST, ...names);
    if (next === undefined || next.seq === seq) return true;
    run(PROMOTE, integer(next, "seq"));
    return false;
  }

  return {
    free,
    isFree: (entry, limits) => {
      const { definition, tenant, lane } = entry.operation;
      if (lane !== undefined) {
        const isNext = hasTurn(entry);
        run(
          "update arr_operations set behind = ? where seq = ? and behind <> ?",
          isNext ? 0 : 1,
          entry.seq,
          isNext ? 0 : 1,
        );
        if (!isNext && entry.token !== undefined) run(RELEASE_ONE, entry.seq);
        if (!isNext) return false;
      }
      if (limits === undefined) return true;
      const isFree = (): boolean => {
        const places = free(definition, limits);
        return places.free > 0 && places.freeFor(tenant) > 0;
      };
      // The expired lease of the operation itself may have been taken away by the first look. If not, it holds a place.
      if (!isFree() && (entry.token === undefined || !isFree())) return false;
      run(LIMIT, entry.seq);
      return true;
    },
    left: ({ definition, tenant, lane }) => {
      if (lane === undefined) return;
      const next = first(FIRST, definition, tenant, lane);
      if (next !== undefined) run(PROMOTE, integer(next, "seq"));
    },
  };
}
