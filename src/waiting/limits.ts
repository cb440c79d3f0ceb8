import type { Clock } from "../ports/runtime.js";
import { createDeadlines } from "./deadlines.js";

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
  /** Calls `onTime` once, after `ms` or up to 250 ms earlier. Returns a function that cancels the call. */
  after(ms: number, onTime: () => void): () => void;
  /** Ends all waits. Later ones end at once. */
  endAll(): void;
  /** Returns whether `endAll` was called. */
  areOver(): boolean;
}

/** Creates limits without any wait. */
export function createLimits(clock: Clock): Limits {
  const deadlines = createDeadlines(clock);
  const ends = new Set<() => void>();
  let over = false;
  return {
    add: (end, { waitMs, signal }) => {
      if (over || signal?.aborted === true) end();
      ends.add(end);
      signal?.addEventListener("abort", end);
      const cancel = waitMs === undefined ? undefined : deadlines.add(waitMs, end);
      return () => {
        ends.delete(end);
        signal?.removeEventListener("abort", end);
        cancel?.();
      };
    },
    after: deadlines.add,
    endAll: () => {
      over = true;
      for (const end of ends) end();
    },
    areOver: () => over,
  };
}
