import type { Entry } from "./entry.js";
import type { ClaimTable, Search, TenantWithWork } from "./table.js";
import { sharesOf, type Turns } from "./turns.js";

/** Selects due operations of one definition that may begin. */
export interface TurnRequest extends Search {
  readonly limit: number;
  /** Free places for a tenant. Default: no limit. */
  readonly freeFor?: ((tenant: string) => number) | undefined;
}

/** Operations that were selected, and whether the selection has looked at all tenants that it needed. */
export interface Chosen<Found> {
  readonly entries: readonly Found[];
  readonly complete: boolean;
}

/** A claim passes one tenant without due work for two slots, and at least this many. */
const LEAST_MISSES = 16;
/**
 * The same if tenants have limits. There is no search in the order of time after this one, so a claim looks at more tenants. It
 * blocks its process only for milliseconds.
 */
const MISSES_WITH_LIMITS = 256;

/**
 * Selects due operations in the order of their urgency and, within one urgency, by turns of their tenants, the oldest of
 * each tenant first.
 */
export function selectByTurns<Found extends Entry, Named>(
  table: ClaimTable<Found, Named>,
  turns: Turns,
  request: TurnRequest,
): Chosen<Found> {
  const { definition, limit, freeFor = unlimited } = request;
  let complete = true;
  for (const urgency of table.urgencies(definition)) {
    const found = nextTenants(table, turns, { ...request, urgency });
    complete &&= found.complete;
    const shareOf = sharesOf(limit, found.tenants.length);
    const shares = found.tenants.map((each, place) => ({
      ...each,
      most: Math.min(shareOf(place), freeFor(each.tenant)),
    }));
    const entries = table.ofTenants(request, urgency, shares);
    const goesOn = request.freeFor !== undefined && !found.complete && entries.length === 0;
    turns.continueTo(definition, urgency, goesOn ? found.last : undefined);
    // A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
    if (entries.length > 0) return { entries, complete };
  }
  return { entries: [], complete };
}

function unlimited(): number {
  return Number.POSITIVE_INFINITY;
}

/**
 * Returns the tenants with due work whose turn it is: those after the one that had it, and then the others, up to `last`. A walk that
 * does not look at all of them, and finds no work, goes on with the next claim. So claims one after the other look at each tenant once.
 */
function nextTenants<Found extends Entry, Named>(
  table: ClaimTable<Found, Named>,
  turns: Turns,
  { definition, urgency, now, limit, freeFor }: TurnRequest & { readonly urgency: number },
): {
  readonly tenants: readonly TenantWithWork<Named>[];
  readonly complete: boolean;
  readonly last: string;
} {
  const first = turns.last(definition, urgency);
  const last = turns.walkTo(definition, urgency) ?? first;
  const tenants: TenantWithWork<Named>[] = [];
  let here = first;
  let wrapped = first < last;
  let complete = false;
  let misses = freeFor === undefined ? Math.max(LEAST_MISSES, limit / 2) : MISSES_WITH_LIMITS;
  while (misses > 0 && tenants.length < limit && !complete) {
    const next = table.nextTenant(definition, urgency, here);
    if (next === undefined || (wrapped && next.tenant > last)) {
      complete = wrapped;
      wrapped = true;
      here = "";
      continue;
    }
    here = next.tenant;
    turns.had(definition, urgency, here);
    if (next.dueAt <= now && (freeFor === undefined || freeFor(here) > 0)) tenants.push(next);
    else misses -= 1;
  }
  complete ||= tenants.length >= limit || (wrapped && here >= last);
  return { tenants, complete, last };
}
