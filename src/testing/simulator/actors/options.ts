import type { BackoffOptions } from "../../../worker/backoff.js";
import type { ProcessorOptions, WorkerOptions } from "../../../worker/settings.js";

/** Smallest random number of the processes, so that every backoff is longer than nothing. */
export const LEAST_RANDOM: number = 1 / 8;

/** Lease of an order. Every process also uses it for a creation before the reply. */
export const LEASE_MS = 30_000;

/** Attempt timeout of a notice. Some notices end only by it. */
const NOTICE_TIMEOUT_MS = 20_000;

/** Name of a definition that has a processor. */
export type DefinitionName = "orders" | "notices";

/** Options of a processor. All of them are required, so that no default of the worker applies. */
type AllOptions = Required<ProcessorOptions> & { readonly backoff: Required<BackoffOptions> };

/** Options of the processors. The two definitions and the defaults of the worker differ in every value. */
export const PROCESSOR_OPTIONS: Readonly<Record<DefinitionName, AllOptions>> = {
  orders: {
    concurrency: 2,
    leaseMs: LEASE_MS,
    maxAttempts: 4,
    backoff: { baseMs: 1_000, maxMs: 60_000 },
    // Slow work ends before this timeout, unless its process freezes or the clock jumps.
    attemptTimeoutMs: 90_000,
    errors: "message",
  },
  notices: {
    concurrency: 1,
    leaseMs: 12_000,
    maxAttempts: 3,
    backoff: { baseMs: 4_000, maxMs: 5_000 },
    attemptTimeoutMs: NOTICE_TIMEOUT_MS,
    errors: "class",
  },
};

/** Limits of orders. They are lower than what all processes together can run. */
export const ORDER_LIMITS = { running: 3, runningPerTenant: 2 } as const;

/** Limit of orders of a tenant that have not ended, in histories with a backlog. A burst exceeds it. */
export const PENDING_PER_TENANT = 4;

/**
 * Defaults of a worker. Every processor overrides them, so a worker that uses one of them violates I15. There is no
 * default attempt timeout: a worker that ignores the one of notices never ends some of them (I2).
 */
export const WORKER_OPTIONS: WorkerOptions = {
  concurrency: 3,
  leaseMs: 45_000,
  maxAttempts: 6,
  backoff: { baseMs: 100_000, maxMs: 200_000 },
  sweepIntervalMs: 10_000,
};
