import type { Clock } from "../ports/runtime.js";
import { onAbort } from "../ports/waits.js";

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
      const forget = onAbort(signal, end);
      const cancel = waitMs === undefined ? undefined : deadlines.add(waitMs, end);
      return () => {
        ends.delete(end);
        forget();
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

/** Time limits that share timers, because one timer per waiter would cost more than the waiter. */
interface Deadlines {
  /** Calls `onTime` once, after `ms` or up to 250 ms earlier. Returns a function that cancels the call. */
  add(ms: number, onTime: () => void): () => void;
}

/** Width of a bucket. All limits in a bucket share a timer. Milliseconds. */
const BUCKET_MS = 250;

interface Bucket {
  readonly calls: Set<() => void>;
  readonly cancel: () => void;
}

/** Creates an empty set of time limits. */
function createDeadlines(clock: Clock): Deadlines {
  const buckets = new Map<number, Bucket>();

  function open(at: number): Bucket {
    const calls = new Set<() => void>();
    const end = (): void => {
      buckets.delete(at);
      for (const call of calls) call();
    };
    const bucket = { calls, cancel: clock.schedule(at * BUCKET_MS - clock.now(), end) };
    buckets.set(at, bucket);
    return bucket;
  }

  return {
    add: (ms, onTime) => {
      const at = Math.floor((clock.now() + ms) / BUCKET_MS);
      const bucket = buckets.get(at) ?? open(at);
      bucket.calls.add(onTime);
      return () => {
        bucket.calls.delete(onTime);
        if (bucket.calls.size > 0 || buckets.get(at) !== bucket) return;
        bucket.cancel();
        buckets.delete(at);
      };
    },
  };
}
