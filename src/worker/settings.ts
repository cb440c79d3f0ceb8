import {
  duration,
  either,
  integer,
  leaseDuration,
  longDuration,
  optional,
} from "../contract/option-values.js";
import { type OptionTable, readOptions } from "../contract/options.js";
import { type Backoff, type BackoffOptions, createBackoff } from "./backoff.js";

/** Options for the attempts of a processor. Every number is an integer greater than 0. */
export interface ProcessorOptions {
  /** Maximum number of concurrent attempts of this processor. Default: the `concurrency` of the worker. */
  readonly concurrency?: number;
  /**
   * Time without a renewal after which an attempt counts as lost. The worker renews its lease after each third of it.
   * Milliseconds, at least 100. Default: 30 s.
   */
  readonly leaseMs?: number;
  /** Number of attempts before the operation fails. Default: 5. */
  readonly maxAttempts?: number;
  /** Bounds of the delays between attempts. Default: 1 s, doubled with each attempt up to 5 min, with full jitter. */
  readonly backoff?: BackoffOptions;
  /** Time after which an attempt is aborted and counts as failed. Milliseconds. Default: none. */
  readonly attemptTimeoutMs?: number;
  /**
   * How much of an error that the processor throws is stored, for operators only: `message` keeps its class, message and
   * those of its causes, up to 1 KB; `class` keeps only the class and the code. Messages often quote inputs, so choose
   * `class` if operators must not see personal data. Default: `message`.
   */
  readonly errors?: "message" | "class";
}

/** Options of a worker. Those of {@link ProcessorOptions} are the defaults of its processors. */
export interface WorkerOptions extends Omit<ProcessorOptions, "concurrency"> {
  /** Maximum number of concurrent attempts, across all processors. Default: 10. */
  readonly concurrency?: number;
  /** Maximum size of a result, and of a progress report. Bytes. Default: 64 KiB. */
  readonly maxResultBytes?: number;
  /**
   * Interval at which a worker of definitions with `startWithinMs` ends operations that did not start in time, and at which a run
   * looks for more work while its attempts run. Other workers end them every 30 s, and all delete old operations every minute. Below 1 s, it shortens these intervals in proportion.
   * Milliseconds. Default: 1 s.
   */
  readonly sweepIntervalMs?: number;
  /** How long `stop` lets attempts finish before it releases them. Milliseconds. Default: 10 s. */
  readonly drainTimeoutMs?: number;
  /** Age at which a submission that was never finished is ended. Milliseconds, at most 100 years. Default: 7 days. */
  readonly abandonAfterMs?: number;
}

/** {@link ProcessorOptions} with their defaults. */
export interface ProcessorSettings {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly attemptTimeoutMs: number | undefined;
  readonly errors: "message" | "class";
}

/** {@link WorkerOptions} with their defaults. */
export interface WorkerSettings
  extends ProcessorSettings,
    Required<Omit<WorkerOptions, keyof ProcessorOptions>> {}

const DAY_MS = 86_400_000;

/**
 * Checks the options of a worker and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readWorkerSettings(options: WorkerOptions, random: () => number): WorkerSettings {
  const defaults: ProcessorSettings = {
    concurrency: 10,
    leaseMs: 30_000,
    maxAttempts: 5,
    backoff: createBackoff({}, random),
    attemptTimeoutMs: undefined,
    errors: "message",
  };
  const table: OptionTable<WorkerSettings> = {
    ...processorTable(defaults, random),
    maxResultBytes: integer(65_536),
    sweepIntervalMs: duration(1_000),
    drainTimeoutMs: duration(10_000),
    abandonAfterMs: longDuration(7 * DAY_MS),
  };
  return readOptions<WorkerSettings>(options, table, "createWorker");
}

/** Returns how the options of a processor are read, which default to those of its worker. */
export function processorTable(
  defaults: ProcessorSettings,
  random: () => number,
): OptionTable<ProcessorSettings> {
  return {
    concurrency: integer(defaults.concurrency),
    leaseMs: leaseDuration(defaults.leaseMs),
    maxAttempts: integer(defaults.maxAttempts),
    backoff: (given, name) =>
      given === undefined ? defaults.backoff : createBackoff(given as BackoffOptions, random, name),
    attemptTimeoutMs: (given = defaults.attemptTimeoutMs, name) => optional(duration(1))(given, name),
    errors: (given = defaults.errors, name) => either("message", "class")(given, name),
  };
}
