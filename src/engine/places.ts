import type { Operation } from "../contract/operation.js";
import type { RunningLimits } from "../ports/claim.js";
import type { Entry } from "./entry.js";
import type { PlaceTable } from "./table.js";

/** Free places of one definition. */
export interface FreePlaces {
  /** For all tenants together. */
  readonly free: number;
  /** Returns those for a tenant, without regard to the others. */
  freeFor(tenant: string): number;
}

/** Returns the free places of a definition. If all are taken, takes expired leases away first. */
export function freePlaces<Found extends Entry, Named>(
  table: PlaceTable<Found, Named>,
  definition: string,
  { running, runningPerTenant }: RunningLimits,
): FreePlaces {
  return {
    free: left(table, running, definition),
    freeFor: (tenant) => left(table, runningPerTenant, definition, tenant),
  };
}

function left<Found extends Entry, Named>(
  table: PlaceTable<Found, Named>,
  limit: number | undefined,
  definition: string,
  tenant?: string,
): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const { count, firstEndsAt } = table.running(definition, tenant);
  if (count < limit || firstEndsAt() > table.now()) return limit - count;
  table.releaseExpired(definition, tenant);
  return limit - table.running(definition, tenant).count;
}

/**
 * Returns whether a place is free for a due entry, which then begins. If it waits for its lane, no search finds it until its turn.
 */
export function hasPlace<Found extends Entry, Named>(
  table: PlaceTable<Found, Named>,
  entry: Found,
  limits: RunningLimits | undefined,
): boolean {
  const { definition, tenant, lane } = entry.operation;
  if (lane !== undefined && !takesTurn(table, entry)) return false;
  if (limits === undefined) return true;
  const isFree = (): boolean => {
    const places = freePlaces(table, definition, limits);
    return places.free > 0 && places.freeFor(tenant) > 0;
  };
  // The expired lease of the entry itself may have been taken away by the first look. If not, it holds a place.
  if (!isFree() && (entry.token === undefined || !isFree())) return false;
  table.limited(entry);
  return true;
}

/** Returns whether an entry has its turn in its lane. If not, it is put behind. */
function takesTurn<Found extends Entry, Named>(table: PlaceTable<Found, Named>, entry: Found): boolean {
  const own = table.nameOf(entry);
  const isNext = hasTurn(table, entry, own);
  table.setBehind(own, !isNext);
  // Otherwise its expired lease would be found again and again.
  if (!isNext && entry.token !== undefined) table.release(own);
  return isNext;
}

function hasTurn<Found extends Entry, Named>(
  table: PlaceTable<Found, Named>,
  entry: Found,
  own: Named,
): boolean {
  const holder = table.holderOfLane(entry);
  if (holder !== undefined && holder.leaseEndsAt > table.now()) return false;
  if (holder !== undefined) table.release(holder.named);
  const first = table.firstOfLane(entry.operation);
  if (first === undefined || first === own) return true;
  table.setBehind(first, false);
  return false;
}

/** Lets the first entry of a lane have its turn, after another one has left the lane or its attempt has ended. */
export function passTurn<Found extends Entry, Named>(
  table: Pick<PlaceTable<Found, Named>, "firstOfLane" | "setBehind">,
  operation: Pick<Operation, "definition" | "tenant" | "lane">,
): void {
  if (operation.lane === undefined) return;
  const first = table.firstOfLane(operation);
  if (first !== undefined) table.setBehind(first, false);
}
