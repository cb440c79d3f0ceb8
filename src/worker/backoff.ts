import { duration } from "../contract/option-values.js";
import { invalidOption, type OptionTable, readOptions } from "../contract/options.js";

/**
 * Bounds of the delays between attempts. The n-th delay is random between 0 and `baseMs` × 2ⁿ⁻¹, and at most `maxMs`.
 */
export interface BackoffOptions {
  /** Upper bound of the first delay. Milliseconds. Default: 1 s. */
  readonly baseMs?: number;
  /** Upper bound of every delay. Milliseconds, at most 24.8 days. Default: 5 min. */
  readonly maxMs?: number;
}

const OPTIONS: OptionTable<Required<BackoffOptions>> = { baseMs: duration(1_000), maxMs: duration(300_000) };

/** Returns the delay after an attempt. Milliseconds. */
export type Backoff = (attempt: number) => number;

/**
 * Creates a function that returns the delay after an attempt: exponential with full jitter. The n-th delay is uniform
 * in [0, min(maxMs, baseMs × 2^(n-1))], so operations that failed together are not retried together.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param name name of the option in messages
 */
export function createBackoff(options: BackoffOptions, random: () => number, name = "backoff"): Backoff {
  const { baseMs, maxMs } = readOptions(options, OPTIONS, "createWorker", name);
  if (maxMs < baseMs)
    throw invalidOption(`${name}.maxMs`, `at least \`${name}.baseMs\`, which is ${baseMs}`, maxMs);
  return (attempt) => Math.floor(random() * (Math.min(maxMs, baseMs * 2 ** (attempt - 1)) + 1));
}
