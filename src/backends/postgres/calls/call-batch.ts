import { type BatchLimits, createBatches } from "../../../batching/batches.js";
import { type Answer, type BatchCall, type Equality, mergeEqual } from "../../../batching/merge-equal.js";
import { AsyncReplyError, maybeRecorded } from "../../../contract/errors.js";
import { integer, type Row } from "../../shared/row.js";
import { isRowError, toStoreError } from "../connection/store-error.js";
import type { FunctionName } from "./functions.js";
import type { Gateway } from "./gateway.js";

/** Options of {@link createCallBatch}. */
export interface CallBatchOptions<Item, Result> {
  readonly gateway: Gateway<unknown>;
  readonly name: FunctionName;
  /**
   * Faster function for a single item. Its parameters are the first elements of the arrays that `valuesOf` returns.
   */
  readonly alone?: FunctionName;
  readonly limits: BatchLimits;
  /** Returns the parameters of the call: arrays with one element for each item. */
  readonly valuesOf: (items: readonly Item[]) => unknown[];
  /** Returns how much an item adds to the size of a batch. Default: 0. */
  readonly bytesOf?: (item: Item) => number;
  /** Which items are equal. Only one of them is sent, and all of them get its row. Default: every item is sent. */
  readonly equality?: Equality<Item, Row>;
  /**
   * Converts the row of an item. The row is undefined if the function returned none for it. Its errors affect only
   * this item.
   */
  readonly resultOf: (row: Row | undefined, item: Item) => Result | Promise<Result>;
  /**
   * Function that replaces `name` after a call failed because of one item. It isolates errors of items. Default:
   * `name`.
   */
  readonly apart?: FunctionName;
  /** Lets callers give up on items that have not been sent. Default: they cannot. */
  readonly unsent?: Unsent<Item>;
}

/** Combines concurrent calls into batches of one statement each. An invalid item fails alone. */
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
    unsent,
  } = options;

  async function call(
    items: readonly Item[],
    called: FunctionName,
    batch: readonly Item[],
  ): Promise<readonly Answer<Row>[]> {
    const arrays = valuesOf(items);
    const asOne = alone !== undefined && called === name && items.length === 1;
    const [callee, values] = asOne ? [alone, arrays.map(first)] : [called, arrays];
    const onSend = unsent && (() => unsent.send(items, batch));
    const rows = await gateway.call(callee, values, { repeatable: true, rowErrors: true, onSend });
    const byPlace = new Map(rows.map((row) => [integer(row, "place"), row]));
    return items.map((_, index) => ({ row: byPlace.get(index + 1) }));
  }

  /** Calls the function. If one row makes the call fail, splits the items in half until that row is alone. */
  async function callApart(
    items: readonly Item[],
    called: FunctionName,
    batch: readonly Item[],
  ): Promise<readonly Answer<Row>[]> {
    try {
      return await call(items, called, batch);
    } catch (error) {
      const left = items.filter((item) => unsent?.isGivenUp(item) !== true);
      if (left.length < items.length) return callLeft(items, left, called, batch, error);
      if (!isRowError(error)) throw error;
      if (called !== apart) return callApart(items, apart, batch);
      if (items.length === 1) return [{ error: toStoreError(error) }];
      const middle = items.length >> 1;
      const halves = [items.slice(0, middle), items.slice(middle)];
      // If one half fails, the other may have been recorded.
      const calls = halves.map((half) => callApart(half, apart, batch));
      return (await Promise.all(calls).catch(uncertainForAll)).flat();
    }
  }

  /** Calls again without the items whose callers gave up before a statement was sent. */
  async function callLeft(
    items: readonly Item[],
    left: readonly Item[],
    called: FunctionName,
    batch: readonly Item[],
    error: unknown,
  ): Promise<readonly Answer<Row>[]> {
    const found = left.length === 0 ? [] : await callApart(left, called, batch);
    const answers = new Map(left.map((item, index) => [item, found[index]]));
    return items.map((item) => answers.get(item) ?? { error });
  }

  const flush: BatchCall<Item, Row> = (items) => {
    const answers = callApart(items, name, items);
    return unsent === undefined ? answers : answers.finally(() => unsent.answered(items));
  };
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

/** Knows which batches have been sent, so that callers can give up on items that have not. */
interface Unsent<Item> {
  /** Called right before a statement with items of a batch is sent. Throws if the caller of one of them has given up. */
  send(items: readonly Item[], batch: readonly Item[]): void;
  /** Called when a batch has its answer. */
  answered(batch: readonly Item[]): void;
  /** Gives up on an item that waits for its answer. Returns whether it has not been sent, so it never will be. */
  giveUp(item: Item): boolean;
  isGivenUp(item: Item): boolean;
}

/** Creates an {@link Unsent} without batches. It keeps nothing for each item, because every submission is one. */
export function createUnsent<Item extends object>(): Unsent<Item> {
  const sent = new Set<readonly Item[]>();
  const givenUp = new WeakSet<Item>();
  const isGivenUp = (item: Item): boolean => givenUp.has(item);
  return {
    send: (items, batch) => {
      if (items.some(isGivenUp))
        throw new AsyncReplyError("STORE_UNAVAILABLE", "The caller has already timed out.");
      sent.add(batch);
    },
    answered: (batch) => void sent.delete(batch),
    giveUp: (item) => {
      for (const batch of sent) if (batch.includes(item)) return false;
      givenUp.add(item);
      return true;
    },
    isGivenUp,
  };
}
