import { Ordered } from "./ordered.js";

/** Items of tenants, whose names are in order. */
export class ByTenant<T> {
  readonly #items = new Map<string, Ordered<T>>();
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  put(tenant: string, item: T, at: number): void {
    let items = this.#items.get(tenant);
    if (items === undefined) {
      items = new Ordered<T>();
      this.#items.set(tenant, items);
      this.#names.splice(this.#indexAfter(tenant), 0, tenant);
    }
    items.put(item, at);
  }

  remove(tenant: string, item: T): void {
    const items = this.#items.get(tenant);
    items?.remove(item);
    if (items?.size !== 0) return;
    this.#items.delete(tenant);
    this.#names.splice(this.#indexAfter(tenant) - 1, 1);
  }

  /** Returns the items of a tenant in order. */
  of(tenant: string): Iterable<T> {
    return this.#items.get(tenant)?.from() ?? [];
  }

  /** Returns the next tenant after a name that has items. */
  next(after: string): string | undefined {
    return this.#names[this.#indexAfter(after)];
  }

  /** Returns the index of the first name that comes later. */
  #indexAfter(tenant: string): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#names[middle] ?? "") <= tenant) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
