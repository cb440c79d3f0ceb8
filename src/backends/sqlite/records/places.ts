import type { FreePlaces } from "../../../engine/table.js";
import type { RunningLimits } from "../../../ports/claim.js";
import { integer } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";
import type { HeldOperation, StoredEntry } from "./entry-row.js";

/** Decides whether operations may begin: by the limits of their definition and by their lanes. */
export interface Places {
  /** Returns whether a place is free for a due operation. If it waits for its lane, no receipt finds it until its turn. */
  isFree(entry: StoredEntry, limits: RunningLimits | undefined): boolean;
  /** Returns the free places of a definition. */
  free(definition: string, limits: RunningLimits): FreePlaces;
  /** Follows an operation of a lane whose attempt or which itself has ended: lets the next one have its turn. */
  left(operation: HeldOperation): void;
}

const RUNNING = `announce_at is not null and token is not null and definition = ? and state = 'pending'`;
const IN_LANE = `announce_at is not null and lane is not null and definition = ? and tenant = ? and lane = ?
  and state = 'pending'`;
const COUNT = `select count(*) as taken from arr_operations indexed by arr_operations_leased where ${RUNNING}`;
const COUNT_OF_TENANT = `${COUNT} and tenant = ?`;
/** Takes an expired lease away. The operation is due since the end of that lease. */
const RELEASE = "update arr_operations set token = null, previous_lost = 1, due_at = lease_ends_at where";
const RELEASE_ONE = `${RELEASE} seq = ?`;
/** Cancelled operations keep their place, because the receipt ends them at once. */
const RELEASE_EXPIRED = `${RELEASE}
  ${RUNNING} and lease_ends_at <= ? and cancel_requested = 0`;
const HOLDER = `select seq, lease_ends_at from arr_operations indexed by arr_operations_lane_held
  where ${IN_LANE} and token is not null and seq <> ? limit 1`;
const FIRST = `select seq, behind from arr_operations indexed by arr_operations_lanes
  where ${IN_LANE} order by created_at, id limit 1`;
const PROMOTE =
  "update arr_operations set behind = 0, announce_at = min(announce_at, ?) where seq = ? and behind = 1";

/** Creates the places of a database. Every method runs within a transaction. */
export function createPlaces(statements: Statements, now: () => number): Places {
  const { run, first } = statements;

  function taken(sql: string, ...values: readonly string[]): number {
    return integer(first(sql, ...values) ?? {}, "taken");
  }

  function takenOf(definition: string, limit: number, tenant?: string): number {
    const count = (): number =>
      tenant === undefined ? taken(COUNT, definition) : taken(COUNT_OF_TENANT, definition, tenant);
    const found = count();
    if (found < limit) return found;
    if (tenant === undefined) run(RELEASE_EXPIRED, definition, now());
    else run(`${RELEASE_EXPIRED} and tenant = ?`, definition, now(), tenant);
    return count();
  }

  function free(
    definition: string,
    { running = Number.POSITIVE_INFINITY, runningPerTenant = Number.POSITIVE_INFINITY }: RunningLimits,
  ): FreePlaces {
    return {
      free: running === Number.POSITIVE_INFINITY ? running : running - takenOf(definition, running),
      freeFor: (tenant) =>
        runningPerTenant === Number.POSITIVE_INFINITY
          ? runningPerTenant
          : runningPerTenant - takenOf(definition, runningPerTenant, tenant),
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
    run(PROMOTE, now(), integer(next, "seq"));
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
      const before = free(definition, limits);
      const enough = before.free > 0 && before.freeFor(tenant) > 0;
      if (enough || entry.token === undefined) return enough;
      // The expired lease of the operation itself may have been taken away now. If not, it holds a place.
      const after = free(definition, limits);
      return after.free > 0 && after.freeFor(tenant) > 0;
    },
    left: ({ definition, tenant, lane }) => {
      if (lane === undefined) return;
      const next = first(FIRST, definition, tenant, lane);
      if (next !== undefined) run(PROMOTE, now(), integer(next, "seq"));
    },
  };
}
