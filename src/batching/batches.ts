import { integer, type OptionTable } from "../contract/option-table.js";
import { type CoalesceOptions, coalesce, overloaded } from "./coalesce.js";

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
