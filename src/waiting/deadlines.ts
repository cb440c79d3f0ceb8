import type { Clock } from "../ports/runtime.js";

/** Time limits that share timers, because one timer per waiter would cost more than the waiter. */
export interface Deadlines {
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
export function createDeadlines(clock: Clock): Deadlines {
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
