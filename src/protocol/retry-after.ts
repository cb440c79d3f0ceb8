import type { Operation } from "../contract/operation.js";

/**
 * Estimates after how many seconds a client should look again, from how long recent operations of the same definition took.
 * Every `now` is a time of this process's clock.
 */
export interface RetryAfterEstimate {
  /** Starts to follow an operation that this process has just accepted. Returns whole seconds, 1 to 60 (RFC 9110 §10.2.3). */
  accepted(operation: Pick<Operation, "id" | "definition">, now: number): number;
  /** Returns whole seconds, 1 to 60, for a pending operation. Starts to follow it if this process has not seen it before. */
  pending(operation: Pick<Operation, "id" | "definition">, now: number): number;
  /** Learns from an operation that ended just now. */
  ended(operation: Pick<Operation, "id" | "definition">, now: number): void;
  /** Learns from an operation that was read after its end. */
  readEnded(operation: Operation): void;
}

const WEIGHT_OF_NEWEST = 0.2;
const FIRST_MS = 1_000;
/** Durations below it count as this: all of them mean 1 second, and there is no logarithm of 0. */
const MIN_MS = 500;
/** Durations above it count as this, because all of them mean 60 seconds. */
const MAX_MS = 600_000;
const MAX_SECONDS = 60;
const MAX_FOLLOWED = 10_000;
const SAMPLE_MS = 100;

/**
 * Keeps a moving average for each definition. Only operations that this process saw pending count, each once. Until
 * something was learned, the estimate is 1 second.
 */
export function createRetryAfterEstimate(): RetryAfterEstimate {
  const averageMs = new Map<string, number>();
  const followed = createFollowed();
  const averageOf = (definition: string): number => averageMs.get(definition) ?? FIRST_MS;
  const learn = (definition: string, tookMs: number): void => {
    const known = averageOf(definition);
    // Of the logarithms: of an ordinary mean, one operation that took an hour would be all that is left.
    averageMs.set(
      definition,
      known * (Math.min(MAX_MS, Math.max(MIN_MS, tookMs)) / known) ** WEIGHT_OF_NEWEST,
    );
  };
  return {
    accepted: ({ id, definition }, now) => {
      followed.add(id, now, now);
      return seconds(averageOf(definition), 0);
    },
    pending: ({ id, definition }, now) => {
      const expectedMs = averageOf(definition);
      let since = followed.since(id);
      if (since === undefined) {
        // Its age is unknown. Its client has probably waited as long as it was told.
        since = now - expectedMs;
        followed.add(id, since, now);
      }
      return seconds(expectedMs, Math.max(0, now - since));
    },
    ended: ({ id, definition }, now) => {
      const since = followed.take(id);
      if (since !== undefined) learn(definition, now - since);
    },
    readEnded: ({ id, definition, createdAt, settledAt = createdAt }) => {
      // Others would count once for every reader, and one that is old and slow would count for ever.
      if (followed.take(id) !== undefined) learn(definition, settledAt - createdAt);
    },
  };
}

function seconds(expectedMs: number, ageMs: number): number {
  const leftMs = expectedMs - ageMs;
  // Older than usual: what has taken this long is likely to take half as long again.
  const waitMs = leftMs > 0 ? leftMs : ageMs / 2;
  return Math.min(MAX_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)));
}

/**
 * Remembers since when operations are known, at most {@link MAX_FOLLOWED} of them. When many wait, it follows only one
 * operation in {@link SAMPLE_MS}, whether it is fast or slow. To drop the oldest for every new one would leave only the
 * fast ones to learn from.
 */
function createFollowed() {
  let newer = new Map<string, number>();
  let older = new Map<string, number>();
  let addedAt = 0;

  function add(id: string, since: number, now: number): void {
    if (newer.size >= MAX_FOLLOWED / 4 && Math.abs(now - addedAt) < SAMPLE_MS) return;
    if (newer.size >= MAX_FOLLOWED / 2) {
      older = newer;
      newer = new Map();
    }
    newer.set(id, since);
    addedAt = now;
  }

  function since(id: string): number | undefined {
    return newer.get(id) ?? older.get(id);
  }

  function take(id: string): number | undefined {
    const known = since(id);
    if (known !== undefined && !newer.delete(id)) older.delete(id);
    return known;
  }

  return { add, since, take };
}
