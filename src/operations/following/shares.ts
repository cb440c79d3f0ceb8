/** Shares of tenants in the waiters of a process. */
export interface Shares {
  /** Takes a place, unless the tenant has used up its share. Returns whether it did. */
  take(tenant: string): boolean;
  /** Frees a place of the tenant. */
  free(tenant: string): void;
  /** Number of places that are taken. */
  readonly taken: number;
}

/**
 * Creates shares. A tenant may have at most as many waiters as there are free places, so one tenant alone gets half of
 * them, the next one half of the rest, and so on. A tenant without waiters gets a place as long as there is one.
 */
export function createShares(max: number): Shares {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take: (tenant) => {
      const own = taken.get(tenant) ?? 0;
      if (own >= max - total) return false;
      taken.set(tenant, own + 1);
      total += 1;
      return true;
    },
    free: (tenant) => {
      const left = (taken.get(tenant) ?? 0) - 1;
      if (left > 0) taken.set(tenant, left);
      else taken.delete(tenant);
      total -= 1;
    },
    get taken() {
      return total;
    },
  };
}
