import { invalidOption, positiveInteger } from "./options.js";

/** Bounds of the delays between attempts: the n-th is uniform between 0 and `baseMs` × 2ⁿ⁻¹, at most `maxMs`. */
export interface BackoffOptions {
  /** Upper bound of the first delay. Default 1 s. */
  readonly baseMs?: number;
  /** Upper bound of every delay. Default 5 min. */
  readonly maxMs?: number;
}

/**
 * Delays between attempts: exponential with full jitter. The n-th is uniform in [0, min(maxMs, baseMs × 2^(n-1))], so
 * that many operations that failed together do not come back together.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function createBackoff(options: BackoffOptions, random: () => number): (attempt: number) => number {
  const baseMs = positiveInteger("backoff.baseMs", options.baseMs, 1_000);
  const maxMs = positiveInteger("backoff.maxMs", options.maxMs, 300_000);
  if (maxMs < baseMs) throw invalidOption("backoff.maxMs", "at least `backoff.baseMs`", maxMs);
  return (attempt) => Math.floor(random() * (Math.min(maxMs, baseMs * 2 ** (attempt - 1)) + 1));
}
