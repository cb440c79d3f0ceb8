import { Fifo } from "./fifo.js";

/** Items of one definition, in the order of their urgency and, within one urgency, by turns of their tenants. */
export class Turns<T> {
  /** Items by urgency. Tenants are in the order of their turns. */
  readonly #levels: (Map<string, Fifo<T>> | undefined)[] = [];

  push(item: T, tenant: string, urgency: number): void {
    const level = this.#levels[urgency] ?? new Map<string, Fifo<T>>();
    this.#levels[urgency] = level;
    const items = level.get(tenant);
    if (items !== undefined) {
      items.push(item);
      return;
    }
    const own = new Fifo<T>();
    own.push(item);
    level.set(tenant, own);
  }

  /**
   * Removes and returns the item whose turn it is.
   *
   * @param isOpen whether a tenant may have its turn. Default: all may.
   */
  shift(isOpen?: (tenant: string) => boolean): T | undefined {
    for (const level of this.#levels) {
      const item = level && shiftFrom(level, isOpen);
      if (item !== undefined) return item;
    }
    return undefined;
  }
}

function shiftFrom<T>(
  level: Map<string, Fifo<T>>,
  isOpen: ((tenant: string) => boolean) | undefined,
): T | undefined {
  for (const [tenant, items] of level) {
    if (isOpen?.(tenant) === false) continue;
    const item = items.shift();
    // A tenant without others keeps its place, because moving it would be all the work.
    if (level.size > 1) {
      level.delete(tenant);
      if (items.size > 0) level.set(tenant, items);
    }
    if (item !== undefined) return item;
  }
  return undefined;
}
