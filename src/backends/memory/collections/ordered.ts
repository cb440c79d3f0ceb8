/** Place of an item. Empty once the item has left it. */
interface Place<T> {
  item: T | undefined;
  readonly at: number;
}

/** So many empty places are kept in any case. */
const SPARE_PLACES = 64;

/** Items in the order of a number. Adding at the end, removing, and reading from any number on are quick. */
export class Ordered<T> {
  readonly #current = new Map<T, Place<T>>();
  /** In order. Also contains empty places, so that leaving needs no search. */
  #places: Place<T>[] = [];
  /** All places before this one are empty. */
  #head = 0;

  get size(): number {
    return this.#current.size;
  }

  /** Adds an item, after those with the same number, or moves it. */
  put(item: T, at: number): void {
    const before = this.#current.get(item);
    if (before?.at === at) return;
    if (before !== undefined) before.item = undefined;
    const place = { item, at };
    this.#current.set(item, place);
    const last = this.#places.at(-1);
    if (last === undefined || last.at <= at) this.#places.push(place);
    else this.#places.splice(this.#indexAfter(at), 0, place);
    this.#tidy();
  }

  remove(item: T): void {
    const place = this.#current.get(item);
    if (place === undefined) return;
    place.item = undefined;
    this.#current.delete(item);
    this.#tidy();
  }

  /** Returns the items in order, those with a number greater than `after`. Default: all. */
  *from(after: number = Number.NEGATIVE_INFINITY): Iterable<T> {
    const places = this.#places;
    while (this.#head < places.length && places[this.#head]?.item === undefined) this.#head += 1;
    for (let index = this.#indexAfter(after); index < places.length; index += 1) {
      const item = places[index]?.item;
      if (item !== undefined) yield item;
    }
  }

  /** Returns the items in the opposite order, those with a number up to `most`. Default: all. */
  *downFrom(most: number = Number.POSITIVE_INFINITY): Iterable<T> {
    for (let index = this.#indexAfter(most) - 1; index >= this.#head; index -= 1) {
      const item = this.#places[index]?.item;
      if (item !== undefined) yield item;
    }
  }

  /** Drops the empty places, once they are the most. */
  #tidy(): void {
    if (this.#places.length <= 2 * this.#current.size + SPARE_PLACES) return;
    this.#places = this.#places.filter(({ item }) => item !== undefined);
    this.#head = 0;
  }

  /** Returns the index of the first place with a greater number. */
  #indexAfter(at: number): number {
    let low = this.#head;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
