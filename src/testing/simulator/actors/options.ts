import type { BackoffOptions } from "../../../worker/backoff.js";
import type { ProcessorOptions, WorkerOptions } from "../../../worker/settings.js";

/** Also the lease of a creation before the reply, by whatever process. */
export const LEASE_MS = 30_000;

/** How long a notice may take, which some of them wait for. */
const NOTICE_TIMEOUT_MS = 20_000;

/** The name of a definition that has work. */
export type DefinitionName = "orders" | "notices";

/** Options of a processor, without any that is left to the worker. */
type AllOptions = Required<ProcessorOptions> & { readonly backoff: Required<BackoffOptions> };

/** How attempts run. The two definitions and the defaults of the worker differ in everything. */
export const PROCESSOR_OPTIONS: Readonly<Record<DefinitionName, AllOptions>> = {
  orders: {
    concurrency: 2,
    leaseMs: LEASE_MS,
    maxAttempts: 4,
    backoff: { baseMs: 1_000, maxMs: 60_000 },
    // Slow work ends before, unless its process stands still or time jumps.
    attemptTimeoutMs: 90_000,
  },
  notices: {
    concurrency: 1,
    leaseMs: 12_000,
    maxAttempts: 3,
    backoff: { baseMs: 4_000, maxMs: 5_000 },
    attemptTimeoutMs: NOTICE_TIMEOUT_MS,
  },
};

/** What a worker does by default, with which no processor is content, and without a limit of time. */
export const WORKER_OPTIONS: WorkerOptions = {
  concurrency: 3,
  leaseMs: 45_000,
  maxAttempts: 6,
  backoff: { baseMs: 100_000, maxMs: 200_000 },
  sweepIntervalMs: 10_000,
};
