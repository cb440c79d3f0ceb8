import { type BatchLimits, createBatches } from "../../../batching/batches.js";
import { type Answer, type BatchCall, type Equality, mergeEqual } from "../../../batching/merge-equal.js";
import { maybeRecorded } from "../../../contract/errors.js";
import { isRowError, toStoreError } from "../connection/store-error.js";
import type { FunctionName } from "./functions.js";
import type { Gateway } from "./gateway.js";
import { integer, type Row } from "./row.js";

/** How items of one kind become one call. */
export interface CallBatchOptions<Item, Result> {
  readonly gateway: Gateway<unknown>;
  readonly name: FunctionName;
  /** Does the same for one item, with values in the place of arrays: the first of each array that `valuesOf` gives. */
  readonly alone?: FunctionName;
  readonly limits: BatchLimits;
  readonly valuesOf: (items: readonly Item[]) => unknown[];
  readonly bytesOf?: (item: Item) => number;
  /** Of equal items one is sent, and its row is that of all. Default: each is sent. */
  readonly equality?: Equality<Item, Row>;
  /** What became of an item, by the row that the function returned for it, if it did. Its error is that item's. */
  readonly resultOf: (row: Row | undefined, item: Item) => Result | Promise<Result>;
  /** Deals with each item by itself where the call failed because of one of them. Default: smaller and smaller calls. */
  readonly apart?: FunctionName;
}

/** Turns single calls into batches of one statement each, in which one bad row fails alone. */
export function createCallBatch<Item, Result>(
  options: CallBatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const {
    gateway,
    name,
    limits,
    valuesOf,
    resultOf,
    equality,
    bytesOf = () => 0,
    alone,
    apart = name,
  } = options;

  async function call(items: readonly Item[], called: FunctionName): Promise<readonly Answer<Row>[]> {
    const arrays = valuesOf(items);
    const asOne = alone !== undefined && called === name && items.length === 1;
    const [callee, values] = asOne ? [alone, arrays.map(first)] : [called, arrays];
    const rows = await gateway.call(callee, values, { repeatable: true, rowErrors: true });
    const byPlace = new Map(rows.map((row) => [integer(row, "place"), row]));
    return items.map((_, index) => ({ row: byPlace.get(index + 1) }));
  }

  /** Halves what failed because of one row until that row is alone. */
  async function callApart(items: readonly Item[], called: FunctionName): Promise<readonly Answer<Row>[]> {
    try {
      return await call(items, called);
    } catch (error) {
      if (!isRowError(error)) throw error;
      if (called !== apart) return callApart(items, apart);
      if (items.length === 1) return [{ error: toStoreError(error) }];
      const middle = items.length >> 1;
      const halves = [items.slice(0, middle), items.slice(middle)];
      // If one half fails, the other may have been recorded.
      const calls = halves.map((half) => callApart(half, apart));
      return (await Promise.all(calls).catch(uncertainForAll)).flat();
    }
  }

  const flush: BatchCall<Item, Row> = (items) => callApart(items, name);
  const add = createBatches(limits, bytesOf, equality === undefined ? flush : mergeEqual(equality, flush));

  return async (item) => {
    const answer = await add(item);
    if ("error" in answer) throw answer.error;
    return resultOf(answer.row, item);
  };
}

function uncertainForAll(error: unknown): never {
  throw maybeRecorded(error);
}

function first(values: unknown): unknown {
  return (values as readonly unknown[])[0];
}
