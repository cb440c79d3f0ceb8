/** Says after how many seconds a client should look again, from what recent operations of its kind took. */
export interface RetryAfterEstimate {
  /** Learns from an operation that was seen terminal. */
  learn(definition: string, tookMs: number): void;
  /** Whole seconds, 1 to 60 (RFC 9110 §10.2.3), for an operation that has been pending for `ageMs`. */
  seconds(definition: string, ageMs: number): number;
}

const WEIGHT_OF_NEWEST = 0.2;
const MAX_SECONDS = 60;

/** A moving average for each definition. Until something was learned the estimate is 1 second. */
export function createRetryAfterEstimate(): RetryAfterEstimate {
  const averageMs = new Map<string, number>();
  return {
    learn: (definition, tookMs) => {
      const known = averageMs.get(definition) ?? tookMs;
      averageMs.set(definition, known + WEIGHT_OF_NEWEST * (tookMs - known));
    },
    seconds: (definition, ageMs) => {
      const leftMs = (averageMs.get(definition) ?? 0) - ageMs;
      // Older than usual: what has taken this long is likely to take half as long again.
      const waitMs = leftMs > 0 ? leftMs : ageMs / 2;
      return Math.min(MAX_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)));
    },
  };
}
