import { checkOptions, invalidOption, type OptionNames, positiveInteger } from "../../contract/options.js";
import type { Backend } from "../../ports/backend.js";
import type { Clock } from "../../ports/runtime.js";
import { systemClock } from "../../ports/system-runtime.js";
import { MemoryIdempotencyStore } from "./idempotency-store.js";
import { MemoryOperationStore } from "./operation-store.js";
import { MemoryQueue } from "./queue.js";
import { MemorySubmissions } from "./submissions.js";

/** Limits of {@link createMemoryBackend}, and its clock. */
export interface MemoryBackendOptions {
  /** The clock of leases and expiries: a manual one lets a test pass a day in no time. */
  readonly clock?: Clock;
  /**
   * How many operations are kept at the same time. One more is refused with 503: a live key is never dropped
   * to make room. Default 1,000,000, about 1 GB.
   */
  readonly maxOperations?: number;
  /** How many announcements may wait; what does not fit is found by the sweep. Default 100,000. */
  readonly maxAnnouncements?: number;
}

const OPTIONS: OptionNames<MemoryBackendOptions> = {
  clock: true,
  maxOperations: true,
  maxAnnouncements: true,
};

/**
 * Keeps everything in this process and loses it with the process: for development, tests, and services whose clients
 * can afford that. Key and operation are recorded in one step.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function createMemoryBackend(options: MemoryBackendOptions = {}): Backend<never> {
  checkOptions(options, OPTIONS, "createMemoryBackend");
  const clock = options.clock ?? systemClock;
  if (typeof clock?.now !== "function" || typeof clock.schedule !== "function")
    throw invalidOption("clock", "a clock, such as `createManualClock()` for tests", clock);
  const operations = new MemoryOperationStore({
    clock,
    maxOperations: positiveInteger("maxOperations", options.maxOperations, 1_000_000),
  });
  const idempotency = new MemoryIdempotencyStore(clock);
  const queue = new MemoryQueue({
    clock,
    maxAnnouncements: positiveInteger("maxAnnouncements", options.maxAnnouncements, 100_000),
  });
  const submissions = new MemorySubmissions(operations, idempotency);
  return {
    operations,
    idempotency,
    queue,
    submissions,
    check: async () => {},
    close: () => queue.close(),
  };
}
