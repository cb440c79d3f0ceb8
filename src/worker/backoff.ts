import { checkOptions, durationMs, invalidOption, type OptionNames } from "../contract/options.js";

/** Bounds of the delays between attempts: the n-th is uniform between 0 and `baseMs` × 2ⁿ⁻¹, at most `maxMs`. */
export interface BackoffOptions {
  /** Upper bound of the first delay. Default 1 s. */
  readonly baseMs?: number;
  /** Upper bound of every delay, at most 24.8 days. Default: 5 min. */
  readonly maxMs?: number;
}

const OPTIONS: OptionNames<BackoffOptions> = { baseMs: true, maxMs: true };

/**
 * Delays between attempts: exponential with full jitter. The n-th is uniform in [0, min(maxMs, baseMs × 2^(n-1))], so
 * that many operations that failed together do not come back together.
 *
 * @param name the option, for messages
 * @throws AsyncReplyError `INVALID_OPTION`
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
