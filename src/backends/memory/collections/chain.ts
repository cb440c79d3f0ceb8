/** Item of a {@link Chain}. Only chains write these members. */
export interface Linked<T> {
  /** Chain that holds the item. */
  chain: { remove(item: T): void } | undefined;
  before: T | undefined;
  after: T | undefined;
}

/** Linked list whose items know their position, so any item can be removed without a search. */
export class Chain<T extends Linked<T>> {
  readonly #onEmpty: (() => void) | undefined;
  #first: T | undefined;
  #last: T | undefined;

  constructor(onEmpty?: () => void) {
    this.#onEmpty = onEmpty;
  }

  get first(): T | undefined {
    return this.#first;
  }

  get last(): T | undefined {
    return this.#last;
  }

  /** Returns all items in the order in which they were appended. */
  *[Symbol.iterator](): Iterator<T> {
    for (let item = this.#first; item !== undefined; item = item.after) yield item;
  }

  /** Moves an item to the end of this chain, out of its previous chain. */
  append(item: T): void {
    item.chain?.remove(item);
    item.chain = this;
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
  }

  /** Removes an item, which must be in this chain. */
  remove(item: T): void {
    const { before, after } = item;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    item.chain = undefined;
    item.before = undefined;
    item.after = undefined;
    if (this.#first === undefined) this.#onEmpty?.();
  }
}
