import type { Deadline } from "../../platform/waits.js";
import type { Clock } from "../../ports/runtime.js";
import { createShares } from "./shares.js";
import { createWaitEnds, type WaitSettings } from "./wait-ends.js";

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
  /** Whether `close` was called. */
  readonly closed: boolean;
}

/** Creates places for this many callers. */
export function createPlaces(clock: Clock, max: number): Places {
  const shares = createShares(max);
  const ends = createWaitEnds(clock);
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
      forget = ends.add(() => {
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
        release = ends.add(resolve, wait);
      });
      release();
    },
    after: ends.after,
    close: ends.endAll,
    get taken() {
      return shares.taken;
    },
    get closed() {
      return ends.areOver();
    },
  };
}
