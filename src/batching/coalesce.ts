import { AsyncReplyError } from "../contract/errors.js";

/** Options of {@link coalesce}. */
export interface CoalesceOptions<Item, Result> {
  /** Processes a batch and returns one result per item, in order. If it rejects, all calls of the batch reject. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
  /** Maximum number of waiting items. Further items are refused with `OVERLOADED`. */
  readonly maxWaiting: number;
  /** Maximum number of concurrent flushes. With several, one that waits for a lock does not block others. Default: 1. */
  readonly inFlight?: number;
  /** Returns how many waiting items form the next batch, counted from the first. At least 1. Default: `maxBatch`. */
  readonly sizeOf?: (waiting: readonly { readonly item: Item }[]) => number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
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
  let waiting: Waiting<Item, Result>[] = [];
  let draining = 0;

  async function drain(): Promise<void> {
    draining += 1;
    // Waits for one microtask, so calls of one burst share the first batch.
    await undefined;
    while (waiting.length > 0) {
      const size = sizeOf(waiting);
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
      await flush(batch);
    }
    draining -= 1;
  }

  async function flush(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.flush(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (item) => {
    if (waiting.length >= maxWaiting) return Promise.reject(overloaded());
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
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
