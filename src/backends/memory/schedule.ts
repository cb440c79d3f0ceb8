/** An item and the time at which it should be looked at; the owner may change or clear that time. */
export interface Scheduled {
  announceAt: number | undefined;
}

const BUCKET_MS = 1_000;

/**
 * Finds what is due without looking at what is not: items lie in buckets of one second. Moving an item is adding it
 * to another bucket; a bucket that comes up skips what has moved away in the meantime.
 */
export class Schedule<T extends Scheduled> {
  readonly #buckets = new Map<number, T[]>();

  add(item: T): void {
    if (item.announceAt === undefined) return;
    const bucket = Math.floor(item.announceAt / BUCKET_MS);
    const items = this.#buckets.get(bucket);
    if (items === undefined) this.#buckets.set(bucket, [item]);
    else items.push(item);
  }

  /** Takes out items that are due at `now`, at most `limit`. The caller moves or clears their time. */
  take(now: number, limit: number): T[] {
    const taken: T[] = [];
    const current = Math.floor(now / BUCKET_MS);
    const due = [...this.#buckets.keys()].filter((bucket) => bucket <= current).sort((a, b) => a - b);
    for (const bucket of due) {
      if (taken.length === limit) break;
      this.#takeFrom(bucket, now, limit, taken);
    }
    return taken;
  }

  #takeFrom(bucket: number, now: number, limit: number, taken: T[]): void {
    const items = this.#buckets.get(bucket) ?? [];
    const later: T[] = [];
    const seen = new Set<T>();
    let looked = 0;
    while (looked < items.length && taken.length < limit) {
      const item = items[looked++] as T;
      const { announceAt } = item;
      if (announceAt === undefined || Math.floor(announceAt / BUCKET_MS) !== bucket || seen.has(item))
        continue;
      seen.add(item);
      (announceAt <= now ? taken : later).push(item);
    }
    const rest = later.concat(items.slice(looked));
    if (rest.length > 0) this.#buckets.set(bucket, rest);
    else this.#buckets.delete(bucket);
  }
}
