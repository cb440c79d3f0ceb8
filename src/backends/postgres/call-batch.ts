import { createBatches } from "./batches.js";
import type { FunctionName } from "./functions.js";
import type { Gateway } from "./gateway.js";
import { integer, type Row } from "./row.js";
import { isRowError, toStoreError } from "./store-error.js";

/** Limits of the batches of a back end. */
export interface BatchLimits {
  readonly maxBatch: number;
  readonly maxBytes: number;
  readonly maxWaiting: number;
  readonly inFlight: number;
}

/** How items of one kind become one call. */
export interface CallBatchOptions<Item, Result> {
  readonly gateway: Gateway<unknown>;
  readonly name: FunctionName;
  readonly limits: BatchLimits;
  readonly valuesOf: (items: readonly Item[]) => unknown[];
  readonly bytesOf?: (item: Item) => number;
  /** What became of an item, by the row that the function returned for it, if it did. Its error is that item's. */
  readonly resultOf: (row: Row | undefined, item: Item) => Result;
  /** Deals with each item by itself where the call failed because of one of them. Default: smaller and smaller calls. */
  readonly apart?: FunctionName;
}

type Settled<Result> = { readonly result: Result } | { readonly error: unknown };

/** Turns single calls into batches of one statement each, in which one bad row fails alone. */
export function createCallBatch<Item, Result>(
  options: CallBatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { gateway, name, limits, valuesOf, resultOf, bytesOf, apart = name } = options;

  async function call(items: readonly Item[], called: FunctionName): Promise<readonly Settled<Result>[]> {
    const rows = await gateway.call(called, valuesOf(items), { repeatable: true, rowErrors: true });
    const byPlace = new Map(rows.map((row) => [integer(row, "place"), row]));
    return items.map((item, index) => settled(() => resultOf(byPlace.get(index + 1), item)));
  }

  /** Halves what failed because of one row until that row is alone. */
  async function callApart(
    items: readonly Item[],
    called: FunctionName,
  ): Promise<readonly Settled<Result>[]> {
    try {
      return await call(items, called);
    } catch (error) {
      if (!isRowError(error)) throw error;
      if (called !== apart) return callApart(items, apart);
      if (items.length === 1) return [{ error: toStoreError(error) }];
      const middle = items.length >> 1;
      const halves = [items.slice(0, middle), items.slice(middle)];
      return (await Promise.all(halves.map((half) => callApart(half, apart)))).flat();
    }
  }

  const add = createBatches<Item, Settled<Result>>({
    ...limits,
    ...(bytesOf === undefined ? {} : { bytesOf }),
    flush: (items) => callApart(items, name),
  });

  return async (item) => {
    const outcome = await add(item);
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  };
}

function settled<Result>(read: () => Result): Settled<Result> {
  try {
    return { result: read() };
  } catch (error) {
    return { error };
  }
}
