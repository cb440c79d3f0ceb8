import { type Deadline, Deadlines, onAbort } from "../../platform/waits.js";
import type { Clock } from "../../ports/runtime.js";

/** Reasons to end a wait early. */
export interface WaitSettings {
  /** Time limit. Milliseconds. Default: none. */
  readonly waitMs?: number;
  /** Ends the wait when it is aborted. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/** Ends waits. */
export interface WaitEnds {
  /** Calls `end` after the time, with the signal, or with `endAll`. Returns a function that frees what this takes. */
  add(end: () => void, limits: WaitSettings): () => void;
  /** Calls `onTime` once, after `ms` or up to 250 ms earlier. */
  after(ms: number, onTime: () => void): Deadline;
  /** Ends all waits. Later ones end at once. */
  endAll(): void;
  /** Returns whether `endAll` was called. */
  areOver(): boolean;
}

/** Limits in the same span of this length share a timer. Milliseconds. */
const SHARED_MS = 250;

/** Creates the ends of no waits yet. */
export function createWaitEnds(clock: Clock): WaitEnds {
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
