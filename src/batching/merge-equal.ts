/** Row that a call returned for one item, or the error of this item. */
export type Answer<Row> = { readonly row: Row | undefined } | { readonly error: unknown };

/** Makes one call for many items, with an answer for each. */
export type BatchCall<Item, Row> = (items: readonly Item[]) => Promise<readonly Answer<Row>[]>;

/** Decides which items are equal and which rows equal items can share. */
export interface Equality<Item, Row> {
  /** Key that equal items share. Cheap to compare. `undefined` for an item without equals. */
  readonly keyOf: (item: Item) => string | undefined;
  /** Returns whether two items with the same key are equal. */
  readonly equal: (one: Item, other: Item) => boolean;
  /** Returns whether equal items can share a row. They cannot share a row that says "created": only one of them was. */
  readonly isShared: (row: Row) => boolean;
}

/**
 * Sends only the first of several equal items and returns its row for all of them. If the row cannot be shared, or the first
 * item failed, a second call sends the others.
 */
export function mergeEqual<Item, Row>(
  equality: Equality<Item, Row>,
  call: BatchCall<Item, Row>,
): BatchCall<Item, Row> {
  return async function merged(items): Promise<readonly Answer<Row>[]> {
    const firsts = firstOfEach(items, equality);
    if (firsts === undefined) return call(items);
    const sent = [...new Set(firsts)];
    const found = await call(sent);
    const answers = new Map(zip(sent, found));
    const answerOf = (index: number): Answer<Row> => answers.get(firsts[index] as Item) as Answer<Row>;
    const rest = items.filter(
      (item, index) => item !== firsts[index] && !hasSharedRow(answerOf(index), equality),
    );
    if (rest.length > 0) {
      const failed = (error: unknown): Answer<Row>[] => rest.map(() => ({ error }));
      for (const [item, answer] of zip(rest, await merged(rest).catch(failed))) answers.set(item, answer);
    }
    return items.map((item, index) => answers.get(item) ?? answerOf(index));
  };
}

/** For each item the first that has its key, if it is equal to that, and else itself. Undefined if all keys differ. */
function firstOfEach<Item>(
  items: readonly Item[],
  { keyOf, equal }: Pick<Equality<Item, never>, "keyOf" | "equal">,
): readonly Item[] | undefined {
  const firsts = new Map<string, Item>();
  let repeated: Item[] | undefined;
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    const first = key === undefined ? undefined : firsts.get(key);
    if (first === undefined) {
      if (key !== undefined) firsts.set(key, item);
    } else if (equal(first, item)) {
      repeated ??= [...items];
      repeated[index] = first;
    }
  }
  return repeated;
}

function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  return some.map((one, index) => [one, others[index] as B]);
}

function hasSharedRow<Row>(
  answer: Answer<Row>,
  { isShared }: Pick<Equality<never, Row>, "isShared">,
): boolean {
  return "row" in answer && answer.row !== undefined && isShared(answer.row);
}
