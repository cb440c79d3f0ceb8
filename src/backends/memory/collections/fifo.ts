/** First-in, first-out list with constant cost per item. `Array.shift` would move all remaining items. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined as never; // otherwise the array would keep the item alive
    this.#head += 1;
    if (this.#head * 2 > this.#items.length && this.#head > 1_000) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
