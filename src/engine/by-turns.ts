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
  let complete = true;
  for (const urgency of table.urgencies(request.definition)) {
    const chosen = selectOf(table, turns, { ...request, urgency });
    complete &&= chosen.complete;
    // A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
    if (chosen.entries.length > 0) return { ...chosen, complete };
  }
  return { entries: [], complete };
}

/** A {@link TurnRequest} for operations of one urgency. */
interface UrgencyRequest extends TurnRequest {
  readonly urgency: number;
}

/**
 * Selects due operations of one urgency. A walk that does not look at all tenants, and finds no work, goes on with the next claim if
 * tenants have limits. So claims one after the other look at each tenant once.
 */
function selectOf<Found extends Entry, Named>(
  table: ClaimTable<Found, Named>,
  turns: Turns,
  request: UrgencyRequest,
): Chosen<Found> {
  const { definition, urgency, limit, freeFor = unlimited } = request;
  const walk = new TenantWalk(table, turns, request);
  let entries: readonly Found[] = [];
  // Tenants whose turn it is may have only work that this claim must not begin.
  do {
    const tenants = walk.next();
    const shareOf = sharesOf(limit, tenants.length);
    const shares = tenants.map((each, place) => ({
      ...each,
      most: Math.min(shareOf(place), freeFor(each.tenant)),
    }));
    entries = table.ofTenants(request, urgency, shares);
  } while (entries.length === 0 && walk.goesOn);
  const isNext = request.freeFor !== undefined && entries.length === 0 && !walk.complete;
  turns.continueTo(definition, urgency, isNext ? walk.last : undefined);
  return { entries, complete: walk.complete || entries.length >= limit };
}

function unlimited(): number {
  return Number.POSITIVE_INFINITY;
}

/** Walks over the tenants with work of one urgency: those after the one that had the last turn, and then the others, up to `last`. */
class TenantWalk<Found extends Entry, Named> {
  readonly last: string;
  readonly #table: ClaimTable<Found, Named>;
  readonly #turns: Turns;
  readonly #request: UrgencyRequest;
  #here: string;
  /** Whether it has passed the end of the names. */
  #wrapped: boolean;
  #complete = false;
  /** How many more tenants it may pass that have no due work, or none that may begin. */
  #misses: number;
  /** Number of tenants that the last call of {@link next} returned. */
  #found = 0;

  constructor(table: ClaimTable<Found, Named>, turns: Turns, request: UrgencyRequest) {
    const { definition, urgency, limit, freeFor } = request;
    this.#table = table;
    this.#turns = turns;
    this.#request = request;
    this.#here = turns.last(definition, urgency);
    this.last = turns.walkTo(definition, urgency) ?? this.#here;
    this.#wrapped = this.#here < this.last;
    this.#misses = freeFor === undefined ? Math.max(LEAST_MISSES, limit / 2) : MISSES_WITH_LIMITS;
  }

  /** Whether it has looked at all tenants. */
  get complete(): boolean {
    return this.#complete || (this.#wrapped && this.#here >= this.last);
  }

  /** Whether {@link next} may return more. */
  get goesOn(): boolean {
    return !this.complete && this.#misses > this.#found;
  }

  /**
   * Returns the next tenants with due work and a free place, at most as many as there are slots. Another call says that nothing of the
   * last ones may begin.
   */
  next(): readonly TenantWithWork<Named>[] {
    const { definition, urgency, now, limit, freeFor = unlimited } = this.#request;
    const tenants: TenantWithWork<Named>[] = [];
    this.#misses -= this.#found;
    while (this.#misses > 0 && tenants.length < limit && !this.#complete) {
      const next = this.#table.nextTenant(definition, urgency, this.#here);
      if (next === undefined || (this.#wrapped && next.tenant > this.last)) {
        this.#complete = this.#wrapped;
        this.#wrapped = true;
        this.#here = "";
        continue;
      }
      this.#here = next.tenant;
      this.#turns.had(definition, urgency, this.#here);
      if (next.dueAt <= now && freeFor(this.#here) > 0) tenants.push(next);
      else this.#misses -= 1;
    }
    this.#found = tenants.length;
    return tenants;
  }
}
