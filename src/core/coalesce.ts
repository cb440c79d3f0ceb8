import { AsyncReplyError } from "./errors.js";

export interface CoalesceOptions<Item, Result> {
  /** Handles a batch and returns one result for each item, in order. Its failure is the failure of each. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxBatch: number;
  /** How many may wait; one more is refused with `OVERLOADED`. */
  readonly maxWaiting: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface Coalesced<Item, Result> {
  /** Joins the next batch. Rejects with AsyncReplyError `OVERLOADED` when too many wait, else as `flush` does. */
  add(item: Item): Promise<Result>;
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>;
}

/**
 * Turns concurrent single calls into batches without a timer: what arrives while a flush is in flight forms the next
 * one, so that a lone call is not held up.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): Coalesced<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    // A turn of the microtask queue, so that calls of one burst share the first batch.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, options.maxBatch);
      waiting = waiting.slice(options.maxBatch);
      await flush(batch);
    }
    draining = undefined;
  }

  async function flush(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.flush(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    add: (item) => {
      if (waiting.length >= options.maxWaiting) {
        return Promise.reject(new AsyncReplyError("OVERLOADED", "Too many requests are waiting."));
      }
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        draining ??= drain();
      });
    },
    idle: async () => {
      while (draining !== undefined) await draining;
    },
  };
}
