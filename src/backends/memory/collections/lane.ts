import type { Operation } from "../../../contract/operation.js";

/** Item of a {@link Lane}. */
export interface InLane {
  readonly operation: Pick<Operation, "id" | "createdAt">;
}

/** So many items that have left are kept in any case. */
const SPARE_ITEMS = 64;

/** Unfinished operations of one lane, in the order of their creation. */
export class Lane<T extends InLane> {
  /** The operation that runs. */
  holder: T | undefined;
  readonly #members = new Set<T>();
  /** Also contains items that have left, so that leaving needs no search. */
  #items: T[] = [];
  #head = 0;

  /** Number of operations. */
  get size(): number {
    return this.#members.size;
  }

  /** The operation whose turn it is. */
  get first(): T | undefined {
    for (; this.#head < this.#items.length; this.#head += 1) {
      const item = this.#items[this.#head];
      if (item !== undefined && this.#members.has(item)) return item;
    }
    return undefined;
  }

  /** Adds an operation. Has no effect if it is in the lane. */
  join(item: T): void {
    if (this.#members.has(item)) return;
    this.#members.add(item);
    let place = this.#items.length;
    // Only an operation whose resource was created before the reply can be older than the last one.
    for (; place > this.#head; place -= 1) {
      const before = this.#items[place - 1];
      if (before !== undefined && isBefore(before, item)) break;
    }
    if (place === this.#items.length) this.#items.push(item);
    else this.#items.splice(place, 0, item);
  }

  /** Removes an operation. */
  leave(item: T): void {
    this.#members.delete(item);
    if (this.#items.length <= 2 * this.#members.size + SPARE_ITEMS) return;
    this.#items = this.#items.filter((each) => this.#members.has(each));
    this.#head = 0;
  }
}

function isBefore({ operation: one }: InLane, { operation: other }: InLane): boolean {
  return one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt;
}
