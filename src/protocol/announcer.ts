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

/** ANNOUNCE: wakes up workers. If publishing fails, the sweep announces the operations later. */
export interface Announcer {
  /** Publishes with the next batch. Resolves after the attempt, successful or not. Never rejects. */
  announce(operation: { readonly id: string; readonly definition: string }): Promise<void>;
  /** Resolves when no announcement is waiting. */
  idle(): Promise<void>;
}

export interface AnnouncerOptions {
  readonly queue: Queue;
  readonly runtime: Runtime;
  readonly observe: Observer;
}

/**
 * Creates an announcer with a bounded queue. A broker that hangs delays work, but not replies, and memory stays
 * bounded.
 */
export function createAnnouncer({ queue, runtime, observe }: AnnouncerOptions): Announcer {
  const { clock } = runtime;
  // Created on first use, because Cloudflare Workers have no randomness in global scope, where services are created.
  let prefix: string | undefined;
  let count = 0;
  const failed = (error: unknown): void => observe({ event: "background.failed", step: "announce", error });

  const published = coalesce<{ readonly id: string; readonly definition: string }, void>({
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    flush: async (operations) => {
      prefix ??= runtime.newToken();
      const announcements = operations.map((operation) => announce(operation, `${prefix}-${count++}`));
      // One event for the whole batch. The sweep announces its operations later.
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
