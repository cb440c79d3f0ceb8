import { AsyncReplyError } from "../contract/errors.js";
import type { Operation } from "../contract/operation.js";
import { withinTime } from "../platform/waits.js";
import type { Observer } from "../ports/observer.js";
import type { Queue } from "../ports/queue.js";
import type { Ring } from "../ports/ring.js";
import type { Runtime } from "../ports/runtime.js";

const MAX_BATCH = 500;
const MAX_WAITING = 10_000;
const PUBLISH_TIMEOUT_MS = 10_000;

/**
 * An idle worker claims at this interval, and learns from each claim what becomes due next. So nothing needs to ring for work
 * that is due later. Milliseconds.
 */
export const CLAIM_INTERVAL_MS = 10_000;

/**
 * RING: wakes up workers that may have free slots. A ring that is lost costs time only, because workers also claim without
 * rings.
 */
export interface Bell {
  /**
   * Publishes with the next batch, or when the work is due. Returns the promise of that batch, which resolves when it was
   * published or has failed, and at once for work that is not due. Never rejects.
   *
   * @param dueInMs When the work is due. Milliseconds from now.
   */
  ring(ring: Ring, dueInMs?: number): Promise<void>;
  /** Resolves when everything of which the work is due was published or has failed. Never rejects. */
  published(): Promise<void>;
  /**
   * Publishes everything that waits until its work is due, and resolves as {@link Bell.published} does: a worker that hears it
   * learns from its claim when the work is due. Afterwards, no timer keeps the process alive.
   */
  flush(): Promise<void>;
}

export interface BellOptions {
  readonly queue: Pick<Queue, "publish">;
  readonly runtime: Pick<Runtime, "clock" | "pause">;
  readonly observe: Observer;
}

/** A ring that waits until its work is due. */
interface Delayed {
  readonly ring: Ring;
  /** When the work is due, by the clock of this process. Milliseconds. */
  readonly at: number;
  readonly cancel: () => void;
}

/** Creates a bell with a bounded queue. A broker that hangs delays work, but not replies, and memory stays bounded. */
export function createBell({ queue, runtime, observe }: BellOptions): Bell {
  const { clock } = runtime;
  const failed = (error: unknown): void => observe({ event: "background.failed", step: "ring", error });
  /** The batch that waits for the one before it. */
  let next: Ring[] | undefined;
  /** Whether rings were left out of this batch. */
  let isOver = false;
  /** The last batch, which follows all others. */
  let last: Promise<void> = Promise.resolve();
  /** When the next delayed ring of a definition is due. The claim after it learns of those that are due later. */
  const delayed = new Map<string, Delayed>();

  async function publish(rings: readonly Ring[]): Promise<void> {
    try {
      await withinTime(queue.publish(rings), PUBLISH_TIMEOUT_MS, clock, tookTooLong);
    } catch (error) {
      // One event for the whole batch.
      failed(error);
    }
  }

  async function publishAfter(before: Promise<void>, waiting: readonly Ring[]): Promise<void> {
    await before;
    next = undefined;
    isOver = false;
    for (let at = 0; at < waiting.length; at += MAX_BATCH)
      await publish(waiting.length <= MAX_BATCH ? waiting : waiting.slice(at, at + MAX_BATCH));
    // A lone ring is published at once. Those that follow in the same turn of the event loop share a batch.
    await runtime.pause();
  }

  function ringNow(ring: Ring): Promise<void> {
    if (next === undefined) {
      next = [ring];
      last = publishAfter(last, next);
    } else if (next.length < MAX_WAITING) next.push(ring);
    else if (!isOver) {
      isOver = true;
      // Once for the whole batch: an error for each would take longer than the rest of a submission.
      failed(new AsyncReplyError("OVERLOADED", "Too many rings are waiting for the queue."));
    }
    return last;
  }

  function ringLater(ring: Ring, dueInMs: number): Promise<void> {
    const { definition } = ring;
    const at = clock.elapsed() + dueInMs;
    const known = delayed.get(definition);
    if (dueInMs >= CLAIM_INTERVAL_MS || (known !== undefined && known.at <= at)) return Promise.resolve();
    known?.cancel();
    const cancel = clock.schedule(dueInMs, () => {
      delayed.delete(definition);
      void ringNow(ring);
    });
    delayed.set(definition, { ring, at, cancel });
    return Promise.resolve();
  }

  return {
    ring: (ring, dueInMs = 0) => (dueInMs > 0 ? ringLater(ring, dueInMs) : ringNow(ring)),
    published: () => last,
    flush: () => {
      for (const { ring, cancel } of delayed.values()) {
        cancel();
        void ringNow(ring);
      }
      delayed.clear();
      return last;
    },
  };
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue did not answer in time.");
}

/**
 * Rings for what can begin after the end of an operation: its follow-up, and those that have waited for its place.
 *
 * @param hadPlace Whether it may have held a place under a limit.
 */
export function ringAfterEnd(
  bell: Pick<Bell, "ring">,
  { id: operationId, definition, lane, onEnd }: Pick<Operation, "id" | "definition" | "lane" | "onEnd">,
  hadPlace: boolean,
): void {
  if (hadPlace || lane !== undefined) void bell.ring({ definition, operationId });
  if (onEnd !== undefined) void bell.ring({ definition: onEnd.definition, operationId: onEnd.id });
}
