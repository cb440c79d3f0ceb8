import type { ClaimTable } from "../../engine/table.js";
import type { Clock } from "../../ports/runtime.js";
import type { MemoryEntry } from "./entry.js";
import type { Pauses } from "./pauses.js";
import type { Places } from "./places.js";
import type { Work } from "./work.js";

/** Parts of the store that a claim uses besides its work. */
interface ClaimParts {
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly places: Places;
  readonly find: (id: string) => MemoryEntry | undefined;
  /** Runs a step of the state machine, and updates the indexes of the store. */
  readonly apply: <Result>(entry: MemoryEntry, step: () => Result) => Result;
}

/** Creates the table of claims. Each claim happens in one turn of the event loop. */
export function createClaimTable(
  work: Work,
  { clock, pauses, places, find, apply }: ClaimParts,
): ClaimTable<MemoryEntry> {
  const now = (): number => clock.now();
  return {
    now,
    isPaused: (definition) => pauses.of(definition) !== undefined,
    lost: (search, limit) => work.lost(search, limit),
    waiting: (search, limit) => work.waiting(search, limit),
    hasMoreDue: (search, than) => work.hasMoreDue(search, than),
    urgencies: (definition) => work.urgencies(definition),
    nextTenant: (definition, urgency, after) => work.nextTenant(definition, urgency, after),
    ofTenants: (search, urgency, shares) => work.ofTenants(search, urgency, shares),
    held: (definition, token) => work.held(definition, token, now()),
    hasBehind: (definition) => work.hasBehind(definition),
    nextDueAt: (search) => work.nextDueAt(search),
    hasPlace: (entry, limits) => {
      const hasTurn = entry.operation.lane === undefined || places.hasTurn(entry, now());
      // Otherwise its expired lease would be found again and again.
      if (!hasTurn && entry.token !== undefined) places.release(entry);
      work.setBehind(entry, !hasTurn);
      return hasTurn && places.isFree(entry, limits, now());
    },
    places: (definition, limits) => places.free(definition, limits, now()),
    find,
    apply: (entry, step) => apply(entry, () => step(now())),
  };
}
