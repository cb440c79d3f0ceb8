/** Place of an item. */
interface Place<T> {
  readonly item: T;
  readonly at: number;
}

/** So many places that items have left are kept in any case. */
const SPARE_PLACES = 64;

/** Items in the order of a number. Adding at the end, removing, and reading from the start are quick. */
export class Ordered<T> {
  readonly #current = new Map<T, Place<T>>();
  /** In order. Also contains places that items have left, so that leaving needs no search. */
  #places: Place<T>[] = [];
  /** Items have left all places before this one. */
  #head = 0;

  get size(): number {
    return this.#current.size;
  }

  /** Adds an item, after those with the same number, or moves it. */
  put(item: T, at: number): void {
    if (this.#current.get(item)?.at === at) return;
    const place = { item, at };
    this.#current.set(item, place);
    const last = this.#places.at(-1);
    if (last === undefined || last.at <= at) this.#places.push(place);
    else this.#places.splice(this.#indexAfter(at), 0, place);
    this.#tidy();
  }

  remove(item: T): void {
    if (this.#current.delete(item)) this.#tidy();
  }

  /** Returns the items in order, those with a number greater than `after`. Default: all. */
  *from(after: number = Number.NEGATIVE_INFINITY): Iterable<T> {
    while (this.#head < this.#places.length && !this.#isCurrent(this.#places[this.#head])) this.#head += 1;
    const places = this.#places;
    for (let index = this.#indexAfter(after); index < places.length; index += 1) {
      const place = places[index];
      if (place !== undefined && this.#isCurrent(place)) yield place.item;
    }
  }

  #isCurrent(place: Place<T> | undefined): boolean {
    return place !== undefined && this.#current.get(place.item) === place;
  }

  /** Drops the places that items have left, once they are the most. */
  #tidy(): void {
    if (this.#places.length <= 2 * this.#current.size + SPARE_PLACES) return;
    this.#places = this.#places.filter((place) => this.#isCurrent(place));
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
