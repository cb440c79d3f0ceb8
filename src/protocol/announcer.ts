import { coalesce } from "../batching/coalesce.js";
import { AsyncReplyError } from "../contract/errors.js";
import { announce } from "../ports/announcement.js";
import type { Observer } from "../ports/observer.js";
import type { Queue } from "../ports/queue.js";
import type { Runtime } from "../ports/runtime.js";
import { withinTime } from "./within-time.js";

const MAX_BATCH = 100;
const MAX_WAITING = 10_000;
const PUBLISH_TIMEOUT_MS = 10_000;

/** ANNOUNCE: wakes the workers. What it cannot publish it leaves to the sweep, because the record is the outbox. */
export interface Announcer {
  /** Publishes with the next batch. Never rejects; resolves when that was tried, for `waitUntil` on edge runtimes. */
  announce(operation: { readonly id: string; readonly definition: string }): Promise<void>;
  /** Resolves when nothing waits to be published. */
  idle(): Promise<void>;
}

export interface AnnouncerOptions {
  readonly queue: Queue;
  readonly runtime: Runtime;
  readonly observe: Observer;
}

/** Makes an announcer with a bounded queue: a broker that hangs costs latency of the work, never memory or a reply. */
export function createAnnouncer({ queue, runtime, observe }: AnnouncerOptions): Announcer {
  const { clock } = runtime;
  // Not chosen before it is needed: Workers make services where no randomness is to be had.
  let prefix: string | undefined;
  let count = 0;
  const failed = (error: unknown): void => observe({ event: "background.failed", step: "announce", error });

  const published = coalesce<{ readonly id: string; readonly definition: string }, void>({
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    flush: async (operations) => {
      prefix ??= runtime.newToken();
      const announcements = operations.map((operation) => announce(operation, `${prefix}-${count++}`));
      // One event for the batch; the sweep will see to its operations.
      await withinTime(queue.publish(announcements), PUBLISH_TIMEOUT_MS, clock, tookTooLong).catch(failed);
      return [];
    },
  });

  return {
    announce: (operation) => published.add(operation).catch(failed),
    idle: () => published.idle(),
  };
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue did not answer in time.");
}
