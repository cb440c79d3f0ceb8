/** An item of a {@link Chain}. Only chains write these members. */
export interface Linked<T> {
  /** The one chain that holds the item. */
  chain: { remove(item: T): void } | undefined;
  before: T | undefined;
  after: T | undefined;
}

/** A linked list whose items know their place: any of them is removed without a search, and leaves nothing behind. */
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

  /** Moves an item to the end of this chain, out of the chain that held it. */
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
