import type { Operation } from "../contract/operation.js";
import type { KnownDuration } from "./counted-durations.js";

/**
 * Estimates `Retry-After` from the durations of recent operations of the same definition. Every `now` is a time of
 * this process's clock. Epoch milliseconds.
 */
export interface RetryAfterEstimate {
  /** Returns whole seconds, 1 to 60 (RFC 9110 §10.2.3), for an operation accepted just now. Starts to track it. */
  accepted(operation: Pick<Operation, "id" | "definition">, now: number): number;
  /** Returns whole seconds, 1 to 60, for a pending operation. Starts to track it if it is new to this process. */
  pending(operation: Pick<Operation, "id" | "definition">, now: number): number;
  /** Returns how long operations of a definition take from their acceptance to their end. Milliseconds, up to 10 minutes. */
  durationMs(definition: string): number;
  /** Learns from an operation that has just ended. */
  ended(operation: Pick<Operation, "id" | "definition">, now: number): void;
  /** Learns from a terminal operation that was read. */
  readEnded(operation: Operation): void;
}

const WEIGHT_OF_NEWEST = 0.2;
const FIRST_MS = 1_000;
/** Shorter durations count as this. All of them mean 1 second, and 0 has no logarithm. */
const MIN_MS = 500;
/** Longer durations count as this. All of them mean 60 seconds. */
const MAX_MS = 600_000;
const MAX_SECONDS = 60;
const MAX_TRACKED = 10_000;
const SAMPLE_MS = 100;

/**
 * Creates an estimate with a moving average for each definition. Only operations that this process saw pending count,
 * and each counts once. The first estimate is what `known` returns, or 1 second.
 */
export function createRetryAfterEstimate(known: KnownDuration = () => undefined): RetryAfterEstimate {
  const averageMs = new Map<string, number>();
  const tracked = createTracked();
  const averageOf = (definition: string): number =>
    averageMs.get(definition) ?? bounded(known(definition) ?? FIRST_MS);
  const learn = (definition: string, tookMs: number): void => {
    const average = averageOf(definition);
    // Averages logarithms, because one operation that took an hour would dominate an arithmetic mean.
    averageMs.set(definition, average * (bounded(tookMs) / average) ** WEIGHT_OF_NEWEST);
  };
  return {
    accepted: ({ id, definition }, now) => {
      tracked.add(id, now, now);
      return seconds(averageOf(definition), 0);
    },
    pending: ({ id, definition }, now) => {
      const expectedMs = averageOf(definition);
      let since = tracked.since(id);
      if (since === undefined) {
        // Its age is unknown. The client has probably already waited for the first estimate.
        since = now - expectedMs;
        tracked.add(id, since, now);
      }
      return seconds(expectedMs, Math.max(0, now - since));
    },
    durationMs: averageOf,
    ended: ({ id, definition }, now) => {
      const since = tracked.take(id);
      if (since !== undefined) learn(definition, now - since);
    },
    readEnded: ({ id, definition, createdAt, settledAt = createdAt }) => {
      // Untracked operations do not count: each reader would count them again, and old slow ones would count forever.
      if (tracked.take(id) !== undefined) learn(definition, settledAt - createdAt);
    },
  };
}

function bounded(ms: number): number {
  return Math.min(MAX_MS, Math.max(MIN_MS, ms));
}

function seconds(expectedMs: number, ageMs: number): number {
  const leftMs = expectedMs - ageMs;
  // Overdue operations usually take a while longer: wait half of the time they have taken so far.
  const waitMs = leftMs > 0 ? leftMs : ageMs / 2;
  return Math.min(MAX_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)));
}

/**
 * Remembers the start of at most {@link MAX_TRACKED} operations. Under load, it tracks only one operation per
 * {@link SAMPLE_MS}. Dropping the oldest operation for each new one would leave only fast operations to learn from.
 */
function createTracked() {
  let newer = new Map<string, number>();
  let older = new Map<string, number>();
  let addedAt = 0;

  function add(id: string, since: number, now: number): void {
    if (newer.size >= MAX_TRACKED / 4 && Math.abs(now - addedAt) < SAMPLE_MS) return;
    if (newer.size >= MAX_TRACKED / 2) {
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
