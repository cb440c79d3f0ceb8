import { type Deadline, Deadlines, onAbort } from "../../platform/waits.js";
import type { Clock } from "../../ports/runtime.js";

/** Reasons to end a wait early. */
export interface WaitSettings {
  /** Time limit. Milliseconds. Default: none. */
  readonly waitMs?: number;
  /** Ends the wait when it is aborted. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/** Places of a process for callers that wait. Each tenant has its share of them. */
export interface Places {
  /**
   * Takes a place for a tenant. Calls `end` once when the wait is over, also during this call. Returns a function that frees the
   * place earlier, without that call. Returns `undefined` if there is no place, or if the signal is already aborted.
   */
  take(wait: WaitSettings & { readonly tenant: string }, end: () => void): (() => void) | undefined;
  /** Resolves after the time, with the signal, or with `close`. Takes no place. */
  pause(wait: WaitSettings): Promise<void>;
  /** Calls `onTime` once, after `ms` or up to 250 ms earlier. */
  after(ms: number, onTime: () => void): Deadline;
  /** Ends all waits. Later ones end at once. */
  close(): void;
  /** Number of places that are taken. */
  readonly taken: number;
}

/** Limits in the same span of this length share a timer. Milliseconds. */
const SHARED_MS = 250;

/** Creates places for this many callers. */
export function createPlaces(clock: Clock, max: number): Places {
  const shares = createShares(max);
  const deadlines = new Deadlines(clock, SHARED_MS);
  const ends = new Set<() => void>();
  let isClosed = false;

  /** Calls `end` after the time, with the signal, or with `close`. Returns a function that frees what this takes. */
  function endLater(end: () => void, { waitMs, signal }: WaitSettings): () => void {
    if (isClosed || signal?.aborted === true) end();
    ends.add(end);
    const forget = onAbort(signal, end);
    const deadline = waitMs === undefined ? undefined : deadlines.add(waitMs, end);
    return () => {
      ends.delete(end);
      forget();
      deadline?.cancel();
    };
  }

  return {
    take: ({ tenant, ...wait }, end) => {
      if (wait.signal?.aborted === true || !shares.take(tenant)) return undefined;
      let isTaken = true;
      let forget = (): void => {};
      const free = (): void => {
        if (!isTaken) return;
        isTaken = false;
        forget();
        shares.free(tenant);
      };
      forget = endLater(() => {
        free();
        end();
      }, wait);
      // The wait may have been over from the start.
      if (!isTaken) forget();
      return free;
    },
    pause: async (wait) => {
      let release = (): void => {};
      await new Promise<void>((resolve) => {
        release = endLater(resolve, wait);
      });
      release();
    },
    after: (ms, onTime) => deadlines.add(ms, onTime),
    close: () => {
      isClosed = true;
      for (const end of ends) end();
    },
    get taken() {
      return shares.taken;
    },
  };
}

/** Shares of tenants in the places. */
interface Shares {
  /** Takes a place, unless the tenant has used up its share. Returns whether it did. */
  take(tenant: string): boolean;
  /** Frees a place of the tenant. */
  free(tenant: string): void;
  /** Number of places that are taken. */
  readonly taken: number;
}

/**
 * Creates shares. A tenant may have at most as many waiters as there are free places, so one tenant alone gets half of
 * them, the next one half of the rest, and so on. A tenant without waiters gets a place as long as there is one.
 */
function createShares(max: number): Shares {
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
