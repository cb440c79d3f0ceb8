import type { Clock } from "../ports/runtime.js";
import { type Deadline, Deadlines, onAbort } from "../ports/waits.js";

/** Reasons to end a wait early. */
export interface WaitLimits {
  /** Time limit. Milliseconds. Default: none. */
  readonly waitMs?: number;
  /** Ends the wait when it is aborted. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/** Ends waits. */
export interface Limits {
  /** Calls `end` after the time, with the signal, or with `endAll`. Returns a function that frees what this takes. */
  add(end: () => void, limits: WaitLimits): () => void;
  /** Calls `onTime` once, after `ms` or up to 250 ms earlier. */
  after(ms: number, onTime: () => void): Deadline;
  /** Ends all waits. Later ones end at once. */
  endAll(): void;
  /** Returns whether `endAll` was called. */
  areOver(): boolean;
}

/** Limits in the same span of this length share a timer. Milliseconds. */
const SHARED_MS = 250;

/** Creates limits without any wait. */
export function createLimits(clock: Clock): Limits {
  const deadlines = new Deadlines(clock, SHARED_MS);
  const ends = new Set<() => void>();
  let over = false;
  return {
    add: (end, { waitMs, signal }) => {
      if (over || signal?.aborted === true) end();
      ends.add(end);
      const forget = onAbort(signal, end);
      const deadline = waitMs === undefined ? undefined : deadlines.add(waitMs, end);
      return () => {
        ends.delete(end);
        forget();
        deadline?.cancel();
      };
    },
    after: (ms, onTime) => deadlines.add(ms, onTime),
    endAll: () => {
      over = true;
      for (const end of ends) end();
    },
    areOver: () => over,
  };
}

/** Places for waiters, shared by all tenants. */
export interface Places {
  /** Takes a place, unless the tenant has used up its share. Returns whether it did. */
  take(tenant: string): boolean;
  /** Frees a place of the tenant. */
  free(tenant: string): void;
  /** Number of places that are taken. */
  readonly taken: number;
}

/**
 * Creates places. A tenant may have at most as many waiters as there are free places, so one tenant alone gets half of
 * them, the next one half of the rest, and so on. A tenant without waiters gets a place as long as there is one.
 */
export function createPlaces(max: number): Places {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take: (tenant) => {
      const own = taken.get(tenant) ?? 0;
      if (own >= max - total) return false;
      taken.set(tenant, own + 1);
      total += 1;
      return true;
    },
    free: (tenant) => {
      const left = (taken.get(tenant) ?? 0) - 1;
      if (left > 0) taken.set(tenant, left);
      else taken.delete(tenant);
      total -= 1;
    },
    get taken() {
      return total;
    },
  };
}
