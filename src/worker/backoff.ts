import { checkOptions, durationMs, invalidOption, type OptionNames } from "../contract/options.js";

/**
 * Bounds of the delays between attempts. The n-th delay is random between 0 and `baseMs` × 2ⁿ⁻¹, and at most `maxMs`.
 */
export interface BackoffOptions {
  /** Upper bound of the first delay. Milliseconds. Default: 1 s. */
  readonly baseMs?: number;
  /** Upper bound of every delay. Milliseconds, at most 24.8 days. Default: 5 min. */
  readonly maxMs?: number;
}

const OPTIONS: OptionNames<BackoffOptions> = { baseMs: true, maxMs: true };

/**
 * Creates a function that returns the delay after an attempt: exponential with full jitter. The n-th delay is uniform
 * in [0, min(maxMs, baseMs × 2^(n-1))], so operations that failed together are not retried together.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param name name of the option in messages
 */
export function createBackoff(
  options: BackoffOptions,
  random: () => number,
  name = "backoff",
): (attempt: number) => number {
  checkOptions(options, OPTIONS, "createWorker", name);
  const baseMs = durationMs(`${name}.baseMs`, options.baseMs, 1_000);
  const maxMs = durationMs(`${name}.maxMs`, options.maxMs, 300_000);
  if (maxMs < baseMs)
    throw invalidOption(`${name}.maxMs`, `at least \`${name}.baseMs\`, which is ${baseMs}`, maxMs);
  return (attempt) => Math.floor(random() * (Math.min(maxMs, baseMs * 2 ** (attempt - 1)) + 1));
}
