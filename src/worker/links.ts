/** Place of an item in {@link Links}. */
export interface Link<T> {
  readonly item: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/**
 * Items in the order in which they were added. They are linked, and not in a `Set` or a `Map`: whenever one of these
 * moves its items to a new table, the old table keeps them, and with them whole attempts, until the next full garbage
 * collection.
 */
export class Links<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  /** Adds an item. Returns its place, to remove it. */
  add(item: T): Link<T> {
    const link: Link<T> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    return link;
  }

  /** Removes an item. Can be repeated. */
  remove(link: Link<T>): void {
    const { before, after } = link;
    if (before !== undefined) before.after = after;
    else if (this.#first === link) this.#first = after;
    if (after !== undefined) after.before = before;
    else if (this.#last === link) this.#last = before;
    link.before = undefined;
    link.after = undefined;
  }

  /** Removes and returns the first item, or undefined without items. */
  shift(): T | undefined {
    const first = this.#first;
    if (first !== undefined) this.remove(first);
    return first?.item;
  }

  /** Returns all items. */
  all(): readonly T[] {
    const items: T[] = [];
    for (let link = this.#first; link !== undefined; link = link.after) items.push(link.item);
    return items;
  }
}
