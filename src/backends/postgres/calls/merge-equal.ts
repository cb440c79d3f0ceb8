import type { Row } from "./row.js";

/** What a call returned for one item, or an error that is this item's alone. */
export type Answer = { readonly row: Row | undefined } | { readonly error: unknown };

/** Makes one call for many items, with an answer for each. */
export type BatchCall<Item> = (items: readonly Item[]) => Promise<readonly Answer[]>;

/** Which items are equal. */
export interface Equality<Item> {
  /** What equal items share, quick to compare; undefined where an item has no equal. */
  readonly keyOf: (item: Item) => string | undefined;
  /** Whether two that share it are equal. */
  readonly equal: (one: Item, other: Item) => boolean;
}

/**
 * Sends the first of the items that are equal, and gives its row to all of them. Where it has none, having been
 * new, a second call tells the others what it became; so it does where it failed, which the others need not do.
 */
export function mergeEqual<Item>(equality: Equality<Item>, call: BatchCall<Item>): BatchCall<Item> {
  return async function merged(items): Promise<readonly Answer[]> {
    const firsts = firstOfEach(items, equality);
    const sent = [...new Set(firsts)];
    const found = await call(sent);
    if (sent.length === items.length) return found;
    const answers = new Map(zip(sent, found));
    const answerOf = (index: number): Answer => answers.get(firsts[index] as Item) as Answer;
    const rest = items.filter((item, index) => item !== firsts[index] && !hasRow(answerOf(index)));
    if (rest.length > 0) {
      const failed = (error: unknown): Answer[] => rest.map(() => ({ error }));
      for (const [item, answer] of zip(rest, await merged(rest).catch(failed))) answers.set(item, answer);
    }
    return items.map((item, index) => answers.get(item) ?? answerOf(index));
  };
}

/** For each item the first that has its key, where it is equal to that, and else itself. */
function firstOfEach<Item>(items: readonly Item[], { keyOf, equal }: Equality<Item>): Item[] {
  const firsts = new Map<string, Item>();
  return items.map((item) => {
    const key = keyOf(item);
    if (key === undefined) return item;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, item);
    return first !== undefined && equal(first, item) ? first : item;
  });
}

function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  return some.map((one, index) => [one, others[index] as B]);
}

function hasRow(answer: Answer): boolean {
  return "row" in answer && answer.row !== undefined;
}
