import { AsyncReplyError } from "../contract/errors.js";
import { coalesce } from "./coalesce.js";

/** Limits of the batches of a back end. */
export interface BatchLimits {
  readonly maxBatch: number;
  /** A batch is full when its items weigh so much, however few they are. */
  readonly maxBytes: number;
  /** How many may wait; one more is refused with `OVERLOADED`. */
  readonly maxWaiting: number;
  /** How much may wait; more is refused likewise. One that waits alone may be heavier. */
  readonly maxWaitingBytes: number;
  /** How many flushes may be under way. */
  readonly inFlight: number;
}

interface Weighed<Item> {
  readonly item: Item;
  readonly bytes: number;
}

/** Turns concurrent calls into batches that are limited by what they weigh as well. `flush` as for `coalesce`. */
export function createBatches<Item, Result>(
  limits: BatchLimits,
  bytesOf: (item: Item) => number,
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const { maxBatch, maxBytes, maxWaiting, maxWaitingBytes } = limits;
  let count = 0;
  let waitingBytes = 0;

  const { add } = coalesce<Weighed<Item>, Result>({
    ...limits,
    sizeOf: (waiting) => {
      let size = 0;
      for (let sum = 0; size < Math.min(waiting.length, maxBatch); size += 1) {
        sum += (waiting[size] as { readonly item: Weighed<Item> }).item.bytes;
        if (size > 0 && sum > maxBytes) break;
      }
      return size;
    },
    flush: (weighed) => {
      count -= weighed.length;
      for (const { bytes } of weighed) waitingBytes -= bytes;
      return flush(weighed.map(({ item }) => item));
    },
  });

  return (item) => {
    const bytes = bytesOf(item);
    if (count >= maxWaiting || (count > 0 && waitingBytes + bytes > maxWaitingBytes)) {
      const error = new AsyncReplyError("OVERLOADED", "Too many calls wait for the store.", {
        recorded: "no",
      });
      return Promise.reject(error);
    }
    count += 1;
    waitingBytes += bytes;
    return add({ item, bytes });
  };
}
