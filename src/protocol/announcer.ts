import { AsyncReplyError } from "../contract/errors.js";
import { type Announced, announce } from "../ports/announcement.js";
import type { Observer } from "../ports/observer.js";
import type { Queue } from "../ports/queue.js";
import type { Runtime } from "../ports/runtime.js";
import { withinTime } from "../ports/waits.js";
import { createRepeats } from "./repeats.js";

const MAX_BATCH = 500;
const MAX_WAITING = 10_000;
const PUBLISH_TIMEOUT_MS = 10_000;

/**
 * ANNOUNCE: wakes up workers. If publishing fails, it is repeated until the queue answers again. The sweep announces
 * everything that is lost on the way.
 */
export interface Announcer {
  /**
   * Publishes with the next batch. Returns the promise of that batch, which resolves after the first attempt, successful
   * or not. Never rejects.
   */
  announce(operation: Announced): Promise<void>;
  /** Resolves after the first attempt of everything that was announced before this call. Never rejects. */
  published(): Promise<void>;
  /** Stops repeating, and resolves as {@link Announcer.published} does. */
  close(): Promise<void>;
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

  async function publish(operations: readonly Announced[]): Promise<boolean> {
    prefix ??= runtime.newToken();
    const announcements = operations.map((operation) => announce(operation, `${prefix}-${count++}`));
    try {
      await withinTime(queue.publish(announcements), PUBLISH_TIMEOUT_MS, clock, tookTooLong);
      return true;
    } catch (error) {
      // One event for the whole batch.
      failed(error);
      return false;
    }
  }

  const repeats = createRepeats({ publish, maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING, runtime });
  /** The batch that waits for the one before it. */
  let next: Announced[] | undefined;
  /** Whether operations were left out of this batch. */
  let isOver = false;
  /** The last batch, which follows all others. */
  let last: Promise<void> = Promise.resolve();

  async function publishAfter(before: Promise<void>, waiting: readonly Announced[]): Promise<void> {
    await before;
    next = undefined;
    isOver = false;
    for (let at = 0; at < waiting.length; at += MAX_BATCH) {
      const batch = waiting.length <= MAX_BATCH ? waiting : waiting.slice(at, at + MAX_BATCH);
      if (!(await publish(batch))) repeats.add(batch);
    }
    // A lone operation is published at once. Those that follow in the same turn of the event loop share a batch.
    await runtime.pause();
  }

  return {
    announce: (operation) => {
      if (next === undefined) {
        next = [operation];
        last = publishAfter(last, next);
      } else if (next.length < MAX_WAITING) next.push(operation);
      else if (!isOver) {
        isOver = true;
        // Once for the whole batch: an error for each would take longer than the rest of a submission.
        failed(new AsyncReplyError("OVERLOADED", "Too many announcements are waiting for the queue."));
      }
      return last;
    },
    published: () => last,
    close: () => {
      repeats.close();
      return last;
    },
  };
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue did not answer in time.");
}
