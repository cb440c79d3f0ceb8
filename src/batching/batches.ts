import { AsyncReplyError } from "../contract/errors.js";
import { integer } from "../contract/option-values.js";
import type { OptionTable } from "../contract/options.js";

/** Limits for the batches of a back end. */
export interface BatchSettings {
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
  /** Maximum size of a batch. A single larger item forms its own batch. Bytes. */
  readonly maxBytes: number;
  /** Maximum number of waiting items. Further items are refused with `OVERLOADED`. */
  readonly maxWaiting: number;
  /** Maximum size of all waiting items, unless only one waits. Further items are refused with `OVERLOADED`. Bytes. */
  readonly maxWaitingBytes: number;
  /** Maximum number of concurrent flushes. */
  readonly inFlight: number;
}

/** Keeps batches of large inputs from delaying small ones. */
export const MAX_BATCH_BYTES = 1_048_576;

/** How a back end reads the options that limit its batches. */
export const BATCH_OPTIONS: OptionTable<Pick<BatchSettings, "maxBatch" | "maxWaiting" | "maxWaitingBytes">> =
  {
    maxBatch: integer(128),
    maxWaiting: integer(10_000),
    maxWaitingBytes: integer(67_108_864),
  };

/**
 * Turns concurrent calls into batches with limits on number and size. `flush` is that of {@link coalesce}. `bytesOf` is called
 * several times for an item, and must return the same size.
 */
export function createBatches<Item, Result>(
  limits: BatchSettings,
  bytesOf: (item: Item) => number,
  flush: CoalesceOptions<Item, Result>["flush"],
): (item: Item) => Promise<Result> {
  const { maxBatch, maxBytes, maxWaiting, maxWaitingBytes } = limits;
  let count = 0;
  let waitingBytes = 0;

  const add = coalesce<Item, Result>({
    ...limits,
    sizeOf: (waiting) => {
      const most = Math.min(waiting.length, maxBatch);
      if (waitingBytes <= maxBytes) return most;
      let size = 0;
      for (let sum = 0; size < most; size += 1) {
        sum += bytesOf(waiting[size] as Item);
        if (size > 0 && sum > maxBytes) break;
      }
      return size;
    },
    flush: (items) => {
      count -= items.length;
      for (const item of items) waitingBytes -= bytesOf(item);
      return flush(items);
    },
  });

  return (item) => {
    const bytes = bytesOf(item);
    if (count >= maxWaiting || (count > 0 && waitingBytes + bytes > maxWaitingBytes))
      return Promise.reject(overloaded());
    count += 1;
    waitingBytes += bytes;
    return add(item);
  };
}

/** Options of {@link coalesce}. */
export interface CoalesceOptions<Item, Result> {
  /**
   * Processes a batch and returns one result per item, in order. A result that is a promise decides about its call alone.
   * If `flush` rejects, all calls of the batch reject.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly (Result | PromiseLike<Result>)[]>;
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
  /** Maximum number of waiting items. Further items are refused with `OVERLOADED`. */
  readonly maxWaiting: number;
  /** Maximum number of concurrent flushes. With several, one that waits for a lock does not block others. Default: 1. */
  readonly inFlight?: number;
  /** Returns how many waiting items form the next batch, counted from the first. At least 1. Default: `maxBatch`. */
  readonly sizeOf?: (waiting: readonly Item[]) => number;
}

interface Caller<Result> {
  readonly resolve: (result: Result | PromiseLike<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns concurrent calls into batches, without a timer. Items that arrive during a flush form the next batch, so a
 * single call is never delayed.
 *
 * @returns a function that adds an item to the next batch. It rejects with `OVERLOADED` if too many items wait, or as
 * `flush` does.
 */
export function coalesce<Item, Result>(
  options: CoalesceOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { maxBatch, maxWaiting, inFlight = 1, sizeOf = () => maxBatch } = options;
  // Two arrays, because an object for each item would cost more than the rest of the bookkeeping.
  let items: Item[] = [];
  let callers: Caller<Result>[] = [];
  let draining = 0;

  async function drain(): Promise<void> {
    draining += 1;
    // Waits for one microtask, so calls of one burst share the first batch.
    await undefined;
    while (items.length > 0) {
      const size = sizeOf(items);
      const [batch, called] = [items.slice(0, size), callers.slice(0, size)];
      items = items.slice(size);
      callers = callers.slice(size);
      await flush(batch, called);
    }
    draining -= 1;
  }

  async function flush(batch: readonly Item[], called: readonly Caller<Result>[]): Promise<void> {
    try {
      const results = await options.flush(batch);
      called.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      for (const { reject } of called) reject(error);
    }
  }

  return (item) => {
    if (items.length >= maxWaiting) return Promise.reject(overloaded());
    return new Promise<Result>((resolve, reject) => {
      items.push(item);
      callers.push({ resolve, reject });
      if (draining < inFlight) void drain();
    });
  };
}

/** Returns the error for a call that finds too many others waiting. */
export function overloaded(): AsyncReplyError {
  return new AsyncReplyError("OVERLOADED", "Too many calls are waiting for the store. Try again later.", {
    recorded: "no",
  });
}
