import { Chain, type Linked } from "./collections/chain.js";

/** Item of a {@link Schedule}. */
export interface Scheduled<T> extends Linked<T> {
  /** Time when the item is due. Epoch milliseconds. */
  readonly dueAt: number;
}

const BUCKET_MS = 1_000;

/** Number of empty buckets to keep before they are dropped. */
const SPARE_BUCKETS = 1_000;

/**
 * Finds due items without looking at the others. Items are in buckets of one second, and a heap knows the earliest
 * bucket.
 */
export class Schedule<T extends Scheduled<T>> {
  readonly #buckets = new Map<number, Chain<T>>();
  /** Seconds of all buckets. */
  #seconds = new Heap();
  #empty = 0;

  /** Moves an item from its previous chain to the bucket of its `dueAt`. */
  put(item: T): void {
    const second = Math.floor(item.dueAt / BUCKET_MS);
    const bucket = this.#buckets.get(second) ?? this.#addBucket(second);
    if (item.chain === bucket) return;
    if (bucket.first === undefined) this.#empty -= 1;
    bucket.append(item);
    if (this.#empty > SPARE_BUCKETS && this.#empty * 2 > this.#buckets.size) this.#dropEmpty();
  }

  /** Removes and returns up to `limit` items that are due at `now`. */
  take(now: number, limit: number): T[] {
    const taken: T[] = [];
    const current = Math.floor(now / BUCKET_MS);
    const left: number[] = [];
    for (let second = this.#seconds.smallest; taken.length < limit; second = this.#seconds.smallest) {
      if (second === undefined || second > current) break;
      this.#seconds.pop();
      if (this.#takeFrom(second, now, limit, taken) === undefined) this.#dropBucket(second);
      else left.push(second);
    }
    for (const second of left) this.#seconds.push(second);
    return taken;
  }

  #addBucket(second: number): Chain<T> {
    const bucket = new Chain<T>(() => {
      this.#empty += 1;
    });
    this.#empty += 1;
    this.#buckets.set(second, bucket);
    this.#seconds.push(second);
    return bucket;
  }

  #dropBucket(second: number): void {
    this.#buckets.delete(second);
    this.#empty -= 1;
  }

  #dropEmpty(): void {
    for (const [second, { first }] of this.#buckets) if (first === undefined) this.#dropBucket(second);
    this.#seconds = new Heap(this.#buckets.keys());
  }

  /** Takes due items from a bucket. Returns the first item that stays. */
  #takeFrom(second: number, now: number, limit: number, taken: T[]): T | undefined {
    const bucket = this.#buckets.get(second);
    let item = bucket?.first;
    while (item !== undefined && taken.length < limit) {
      const { after, dueAt } = item;
      if (dueAt <= now) {
        bucket?.remove(item);
        taken.push(item);
      }
      item = after;
    }
    return bucket?.first;
  }
}

/** Numbers with quick access to the smallest. Adding and removing a number takes logarithmic time. */
class Heap {
  readonly #numbers: number[];

  constructor(numbers: Iterable<number> = []) {
    // A sorted array is a heap.
    this.#numbers = [...numbers].sort((one, other) => one - other);
  }

  get smallest(): number | undefined {
    return this.#numbers[0];
  }

  push(added: number): void {
    const numbers = this.#numbers;
    let place = numbers.length;
    numbers.push(added);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = numbers[parent] as number;
      if (above <= added) break;
      numbers[place] = above;
      place = parent;
    }
    numbers[place] = added;
  }

  /** Removes the smallest number. */
  pop(): void {
    const numbers = this.#numbers;
    const moved = numbers.pop();
    if (moved === undefined || numbers.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if ((numbers[child + 1] ?? Number.POSITIVE_INFINITY) < (numbers[child] ?? Number.POSITIVE_INFINITY))
        child += 1;
      const below = numbers[child];
      if (below === undefined || below >= moved) break;
      numbers[place] = below;
      place = child;
    }
    numbers[place] = moved;
  }
}
