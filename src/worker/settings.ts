import {
  checkOptions,
  durationMs,
  invalidOption,
  longDurationMs,
  type OptionNames,
  positiveInteger,
} from "../contract/options.js";
import { type BackoffOptions, createBackoff } from "./backoff.js";

/** Options for the attempts of a processor. Every number is an integer greater than 0. */
export interface ProcessorOptions {
  /** Maximum number of concurrent attempts of this processor. Default: the `concurrency` of the worker. */
  readonly concurrency?: number;
  /**
   * Time without a renewal after which an attempt counts as lost. The worker renews its lease after each third of it.
   * Milliseconds. Default: 30 s.
   */
  readonly leaseMs?: number;
  /** Number of attempts before the operation fails. Default: 5. */
  readonly maxAttempts?: number;
  /** Bounds of the delays between attempts. Default: 1 s, doubled with each attempt up to 5 min, with full jitter. */
  readonly backoff?: BackoffOptions;
  /** Time after which an attempt is aborted and counts as failed. Milliseconds. Default: none. */
  readonly attemptTimeoutMs?: number;
}

/** Options of a worker. Those of {@link ProcessorOptions} are the defaults of its processors. */
export interface WorkerOptions extends Omit<ProcessorOptions, "concurrency"> {
  /** Maximum number of concurrent attempts, across all processors. Default: 10. */
  readonly concurrency?: number;
  /** Maximum size of a result, and of a progress report. Bytes. Default: 64 KiB. */
  readonly maxResultBytes?: number;
  /** Interval at which the worker looks for due work whose announcement was lost. Milliseconds. Default: 1 s. */
  readonly sweepIntervalMs?: number;
  /** How long `stop` lets attempts finish before it releases them. Milliseconds. Default: 10 s. */
  readonly drainTimeoutMs?: number;
  /**
   * How long an operation is kept after its key is released, if the back end cannot purge both in one step.
   * Milliseconds, 1 minute to 100 years. Default: 5 min.
   */
  readonly purgeGraceMs?: number;
  /** Age at which a submission that was never finished is ended. Milliseconds, at most 100 years. Default: 7 days. */
  readonly abandonAfterMs?: number;
}

/** Names of {@link ProcessorOptions}. */
export const PROCESSOR_OPTIONS: OptionNames<ProcessorOptions> = {
  concurrency: true,
  leaseMs: true,
  maxAttempts: true,
  backoff: true,
  attemptTimeoutMs: true,
};

const OPTIONS: OptionNames<WorkerOptions> = {
  ...PROCESSOR_OPTIONS,
  maxResultBytes: true,
  sweepIntervalMs: true,
  drainTimeoutMs: true,
  purgeGraceMs: true,
  abandonAfterMs: true,
};

/** {@link ProcessorOptions} with their defaults. */
export interface ProcessorSettings {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly backoffMs: (attempt: number) => number;
  readonly attemptTimeoutMs: number | undefined;
}

/** {@link WorkerOptions} with their defaults. */
export interface WorkerSettings
  extends ProcessorSettings,
    Required<Omit<WorkerOptions, keyof ProcessorOptions>> {}

/** The purge grace must outlast every submission in progress: see `recordTimeoutMs`. */
const MIN_GRACE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Checks the options of a worker and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readWorkerSettings(options: WorkerOptions, random: () => number): WorkerSettings {
  checkOptions(options, OPTIONS, "createWorker");
  const purgeGraceMs = longDurationMs("purgeGraceMs", options.purgeGraceMs, 300_000);
  if (purgeGraceMs < MIN_GRACE_MS)
    throw invalidOption("purgeGraceMs", "at least 60000 milliseconds", purgeGraceMs);
  return {
    ...readProcessorSettings(options, DEFAULTS, random),
    maxResultBytes: positiveInteger("maxResultBytes", options.maxResultBytes, 65_536),
    sweepIntervalMs: durationMs("sweepIntervalMs", options.sweepIntervalMs, 1_000),
    drainTimeoutMs: durationMs("drainTimeoutMs", options.drainTimeoutMs, 10_000),
    purgeGraceMs,
    abandonAfterMs: longDurationMs("abandonAfterMs", options.abandonAfterMs, 7 * DAY_MS),
  };
}

const DEFAULTS: Omit<ProcessorSettings, "backoffMs"> = {
  concurrency: 10,
  leaseMs: 30_000,
  maxAttempts: 5,
  attemptTimeoutMs: undefined,
};

/**
 * Checks the options of a processor and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 *
 * @param place prefix of option names in messages, such as `processors.orders.`
 */
export function readProcessorSettings(
  options: ProcessorOptions,
  defaults: Omit<ProcessorSettings, "backoffMs"> & Partial<ProcessorSettings>,
  random: () => number,
  place = "",
): ProcessorSettings {
  const { attemptTimeoutMs = defaults.attemptTimeoutMs, backoff } = options;
  const inherited = backoff === undefined ? defaults.backoffMs : undefined;
  return {
    concurrency: positiveInteger(`${place}concurrency`, options.concurrency, defaults.concurrency),
    leaseMs: durationMs(`${place}leaseMs`, options.leaseMs, defaults.leaseMs),
    maxAttempts: positiveInteger(`${place}maxAttempts`, options.maxAttempts, defaults.maxAttempts),
    backoffMs: inherited ?? createBackoff(backoff ?? {}, random, `${place}backoff`),
    attemptTimeoutMs:
      attemptTimeoutMs === undefined
        ? undefined
        : durationMs(`${place}attemptTimeoutMs`, attemptTimeoutMs, attemptTimeoutMs),
  };
}
