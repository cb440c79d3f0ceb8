import { AsyncReplyError } from "../contract/errors.js";

/** How {@link coalesce} gathers and flushes. */
export interface CoalesceOptions<Item, Result> {
  /** Handles a batch and returns one result for each item, in order. Its failure is the failure of each. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxBatch: number;
  /** How many may wait; one more is refused with `OVERLOADED`. */
  readonly maxWaiting: number;
  /** How many flushes may be under way: one that waits for a lock or a disk does not hold up all others. Default 1. */
  readonly inFlight?: number;
  /** How many of those that wait, the first of all, make the next batch. At least 1; default `maxBatch`. */
  readonly sizeOf?: (waiting: readonly { readonly item: Item }[]) => number;
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
 * Turns concurrent single calls into batches without a timer: what arrives while flushes are in flight forms the next
 * one, so that a lone call is not held up.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): Coalesced<Item, Result> {
  const { maxBatch, maxWaiting, inFlight = 1, sizeOf = () => maxBatch } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let draining = 0;
  let whenIdle: (() => void)[] = [];

  async function drain(): Promise<void> {
    draining += 1;
    // A turn of the microtask queue, so that calls of one burst share the first batch.
    await undefined;
    while (waiting.length > 0) {
      const size = sizeOf(waiting);
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
      await flush(batch);
    }
    draining -= 1;
    if (draining > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
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
      if (waiting.length >= maxWaiting) {
        const error = new AsyncReplyError("OVERLOADED", "Too many requests are waiting.", { recorded: "no" });
        return Promise.reject(error);
      }
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (draining < inFlight) void drain();
      });
    },
    idle: async () => {
      if (draining > 0) await new Promise<void>((resolve) => void whenIdle.push(resolve));
    },
  };
}
