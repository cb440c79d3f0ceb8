import { type BatchSettings, createBatches } from "../../../batching/batches.js";
import { type Answer, type Equality, mergeEqual } from "../../../batching/merge-equal.js";
import { AsyncReplyError, maybeRecorded, notRecorded } from "../../../contract/errors.js";
import { integer, json, type Row } from "../../shared/row.js";
import { isRowError, toStoreError } from "../connection/store-error.js";
import type { FunctionName } from "./functions.js";
import type { Gateway } from "./gateway.js";

/** Options of {@link createCallBatch}. */
export interface CallBatchOptions<Item, Result> {
  readonly gateway: Gateway<unknown>;
  readonly name: FunctionName;
  /** Function that replaces `name` after a call that returned rows, until a call returns none. Default: `name`. */
  readonly afterRows?: FunctionName;
  /** Faster function for a single item. */
  readonly alone?: LoneCall<Item>;
  readonly limits: BatchSettings;
  /** Returns the parameters of the call: arrays for all items. */
  readonly valuesOf: (items: readonly Item[]) => unknown[];
  /** Returns how much an item adds to the size of a batch. Always the same for an item. Default: 0. */
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

/** A function for one item. Its column `answer` holds the row of the item as JSON, or null if it has none. */
interface LoneCall<Item> {
  readonly name: FunctionName;
  /** Returns the parameters of the call. */
  readonly valuesOf: (item: Item) => unknown[];
}

const NO_ROW: Answer<Row> = { row: undefined };

/** Combines concurrent calls into batches of one statement each. An invalid item fails alone. */
export function createCallBatch<Item, Result>(
  options: CallBatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { gateway, name, limits, valuesOf, resultOf, equality, unsent } = options;
  const { bytesOf = () => 0, alone, apart = name, afterRows = name } = options;
  let usual = name;

  async function call(
    items: readonly Item[],
    called: FunctionName,
    batch: readonly Item[],
  ): Promise<readonly Answer<Row>[]> {
    const onSend = unsent && (() => unsent.send(items, batch));
    const how = { repeatable: true, rowErrors: true, onSend };
    const [only] = items;
    if (alone !== undefined && called === name && items.length === 1) {
      const [row = {}] = await gateway.call(alone.name, alone.valuesOf(only as Item), how);
      return [row.answer === null ? NO_ROW : { row: json(row, "answer") }];
    }
    const rows = await gateway.call(called === name ? usual : called, valuesOf(items), how);
    usual = rows.length > 0 ? afterRows : name;
    if (rows.length === 0) return items.map(() => NO_ROW);
    const rowAt = byPlace(rows);
    return items.map((_, index) => ({ row: rowAt(index) }));
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
      if (items.length === 1) return [{ error: refused(error) }];
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

  async function answersOf(items: readonly Item[]): Promise<readonly Answer<Row>[]> {
    try {
      return await callApart(items, name, items);
    } finally {
      unsent?.answered(items);
    }
  }
  const answersOfAll = equality === undefined ? answersOf : mergeEqual(equality, answersOf);

  return createBatches<Item, Result>(limits, bytesOf, async (items) => {
    // A lone item has no equals.
    const answers = await (items.length === 1 ? answersOf(items) : answersOfAll(items));
    return answers.map((answer, index) => settled(answer, items[index] as Item, resultOf));
  });
}

/** Returns the error of a lone item. Data that the database refuses was not recorded by an earlier try either. */
function refused(error: unknown): AsyncReplyError {
  const converted = toStoreError(error);
  return converted.code === "INTERNAL" ? notRecorded(converted) : converted;
}

/** Returns the result of an item, or a promise that rejects with its error. */
function settled<Item, Result>(
  answer: Answer<Row>,
  item: Item,
  resultOf: CallBatchOptions<Item, Result>["resultOf"],
): Result | Promise<Result> {
  if ("error" in answer) return Promise.reject(answer.error);
  try {
    return resultOf(answer.row, item);
  } catch (error) {
    return Promise.reject(error);
  }
}

function uncertainForAll(error: unknown): never {
  throw maybeRecorded(error);
}

/** Knows which batches have been sent, so that callers can give up on items that have not. */
export interface Unsent<Item> {
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

/** Returns the values of all items, or only one if all are equal. Both sides take time for each element of an array. */
export function oneForAll<Item, Value>(
  items: readonly Item[],
  read: (item: Item) => Value,
): readonly Value[] {
  const first = read(items[0] as Item);
  return items.every((item) => read(item) === first) ? [first] : items.map(read);
}

/** Returns the values of all items, or an empty array if none of them has one. */
export function noneOrAll<Item, Value>(
  items: readonly Item[],
  none: Value,
  read: (item: Item) => Value,
): readonly Value[] {
  return items.every((item) => read(item) === none) ? [] : items.map(read);
}

/**
 * Returns an optional text as an element of an array parameter, and "" for an absent text. A text that is present is
 * never empty. Nulls are avoided because Postgres reads them as the text "NULL" in arrays if `array_nulls` is off.
 */
export function orEmpty(text: string | undefined): string {
  return text ?? "";
}

/** Returns a function that finds the row of an item by its index. */
export function byPlace(rows: readonly Row[]): (index: number) => Row | undefined {
  const found = new Map(rows.map((row) => [integer(row, "place"), row]));
  return (index) => found.get(index + 1);
}
