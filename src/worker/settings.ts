import { type BackoffOptions, createBackoff } from "../core/backoff.js";
import { durationMs, invalidOption, positiveInteger } from "../core/options.js";

/** What a worker can be told. Every number is a whole one greater than 0. */
export interface WorkerOptions {
  /** Attempts at the same time. Default 10. */
  readonly concurrency?: number;
  /** After so long without a renewal an attempt counts as lost; renewed every third. Default 30 s. */
  readonly leaseMs?: number;
  /** Then the operation fails. Default 5. */
  readonly maxAttempts?: number;
  /** Delays between attempts. Default 1 s × 2ⁿ up to 5 min, full jitter. */
  readonly backoff?: BackoffOptions;
  /** After so long an attempt is aborted and counts as failed. Default none. */
  readonly attemptTimeoutMs?: number;
  /** Size of a result and of progress. Default 64 KiB each. */
  readonly maxResultBytes?: number;
  /** How often the worker looks for what nobody announces. Default 1 s. */
  readonly sweepIntervalMs?: number;
  /** How long `stop` lets attempts finish before it gives them back. Default 10 s. */
  readonly drainTimeoutMs?: number;
  /** How long an operation and its key are kept after the terminal state. Default 24 h. */
  readonly retentionMs?: number;
  /** How long an operation outlives its key, where the two are not purged in one step. Default 5 min. */
  readonly purgeGraceMs?: number;
  /** After so long a submission that was never finished is ended. Default 7 days. */
  readonly abandonAfterMs?: number;
}

export interface WorkerSettings extends Required<Omit<WorkerOptions, "backoff" | "attemptTimeoutMs">> {
  readonly attemptTimeoutMs: number | undefined;
  readonly backoffMs: (attempt: number) => number;
}

/** A purge grace must outlast every submission that is under way: see `recordTimeoutMs`. */
const MIN_GRACE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Checks the options and fills in the defaults.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function readWorkerSettings(options: WorkerOptions, random: () => number): WorkerSettings {
  const { attemptTimeoutMs } = options;
  const purgeGraceMs = positiveInteger("purgeGraceMs", options.purgeGraceMs, 300_000);
  if (purgeGraceMs < MIN_GRACE_MS)
    throw invalidOption("purgeGraceMs", "at least 60000 milliseconds", purgeGraceMs);
  return {
    concurrency: positiveInteger("concurrency", options.concurrency, 10),
    leaseMs: durationMs("leaseMs", options.leaseMs, 30_000),
    maxAttempts: positiveInteger("maxAttempts", options.maxAttempts, 5),
    backoffMs: createBackoff(options.backoff ?? {}, random),
    attemptTimeoutMs:
      attemptTimeoutMs === undefined ? undefined : durationMs("attemptTimeoutMs", attemptTimeoutMs, 0),
    maxResultBytes: positiveInteger("maxResultBytes", options.maxResultBytes, 65_536),
    sweepIntervalMs: durationMs("sweepIntervalMs", options.sweepIntervalMs, 1_000),
    drainTimeoutMs: durationMs("drainTimeoutMs", options.drainTimeoutMs, 10_000),
    retentionMs: positiveInteger("retentionMs", options.retentionMs, DAY_MS),
    purgeGraceMs,
    abandonAfterMs: positiveInteger("abandonAfterMs", options.abandonAfterMs, 7 * DAY_MS),
  };
}
