import { AsyncReplyError } from "../../core/errors.js";

/** How {@link createBatches} gathers and flushes. */
export interface BatchesOptions<Item, Result> {
  /** Handles a batch and returns one result for each item, in order. Its failure is the failure of each. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** How many flushes may be under way. */
  readonly inFlight: number;
  readonly maxBatch: number;
  /** A batch is full when its items weigh so much, however few they are. */
  readonly maxBytes: number;
  /** How many may wait; one more is refused with `OVERLOADED`. */
  readonly maxWaiting: number;
  readonly bytesOf?: (item: Item) => number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns concurrent calls into batches without a timer, like `core/coalesce`, with several of them under way and a limit on
 * their size: one that waits for a lock or a disk does not hold up all others.
 */
export function createBatches<Item, Result>(
  options: BatchesOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { maxBatch, maxBytes, inFlight, maxWaiting, bytesOf = () => 0 } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let flying = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || flying >= inFlight) return;
    scheduled = true;
    // A turn of the microtask queue, so that calls of one burst share the first batch.
    queueMicrotask(() => {
      scheduled = false;
      while (flying < inFlight && waiting.length > 0) void fly(takeBatch());
    });
  }

  function takeBatch(): readonly Waiting<Item, Result>[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(waiting.length, maxBatch); count += 1) {
      bytes += bytesOf((waiting[count] as Waiting<Item, Result>).item);
      if (count > 0 && bytes > maxBytes) break;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  async function fly(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    flying += 1;
    try {
      const results = await options.flush(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    flying -= 1;
    schedule();
  }

  return (item) => {
    if (waiting.length >= maxWaiting) {
      return Promise.reject(new AsyncReplyError("OVERLOADED", "Too many calls wait for the store."));
    }
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
  };
}
