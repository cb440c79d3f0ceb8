/** What a call returned for one item, or an error that is this item's alone. */
export type Answer<Row> = { readonly row: Row | undefined } | { readonly error: unknown };

/** Makes one call for many items, with an answer for each. */
export type BatchCall<Item, Row> = (items: readonly Item[]) => Promise<readonly Answer<Row>[]>;

/** Which items are equal, and which rows say the same to all of them. */
export interface Equality<Item, Row> {
  /** What equal items share, quick to compare; undefined where an item has no equal. */
  readonly keyOf: (item: Item) => string | undefined;
  /** Whether two that share it are equal. */
  readonly equal: (one: Item, other: Item) => boolean;
  /** Whether the row of one item is also that of its equals. A row that says "created" is not: only one of them was. */
  readonly isShared: (row: Row) => boolean;
}

/**
 * Sends the first of the items that are equal, and gives its row to all of them. If it has no row to share because it was new, a
 * second call tells the others what it became. A second call is also made if the first item failed, because the others may succeed.
 */
export function mergeEqual<Item, Row>(
  equality: Equality<Item, Row>,
  call: BatchCall<Item, Row>,
): BatchCall<Item, Row> {
  return async function merged(items): Promise<readonly Answer<Row>[]> {
    const firsts = firstOfEach(items, equality);
    const sent = [...new Set(firsts)];
    const found = await call(sent);
    if (sent.length === items.length) return found;
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

/** For each item the first that has its key, where it is equal to that, and else itself. */
function firstOfEach<Item>(
  items: readonly Item[],
  { keyOf, equal }: Pick<Equality<Item, never>, "keyOf" | "equal">,
): Item[] {
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

function hasSharedRow<Row>(
  answer: Answer<Row>,
  { isShared }: Pick<Equality<never, Row>, "isShared">,
): boolean {
  return "row" in answer && answer.row !== undefined && isShared(answer.row);
}
