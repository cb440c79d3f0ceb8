import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of renewing leases. */
export const renewingStores = named<TrackedStore>({
  "renews without extending the lease": caughtBy(
    ["renew.extends", "renew.late", "preparing.renewed", "claim.leased"],
    (store, clock) => ({
      renew: async (lease, change) => {
        const endsAt = store.leaseEndsAt.get(lease.operationId) ?? 0;
        return store.renew(lease, { ...change, leaseMs: endsAt - clock.now() });
      },
    }),
  ),
  "adds the renewal to the rest of the lease": caughtBy(
    ["renew.extends", "claim.leased"],
    (store, clock) => ({
      renew: async (lease, change) => {
        const left = Math.max(0, (store.leaseEndsAt.get(lease.operationId) ?? 0) - clock.now());
        const { leaseMs } = change;
        return store.renew(lease, leaseMs === undefined ? change : { ...change, leaseMs: left + leaseMs });
      },
    }),
  ),
  "does not renew expired leases": caughtBy(["renew.late"], (store, clock) => ({
    renew: async (lease, change) => {
      const over = (store.leaseEndsAt.get(lease.operationId) ?? 0) <= clock.now();
      return over ? { outcome: "lost" } : store.renew(lease, change);
    },
  })),
  "renews for any caller": caughtBy(["renew.lost", "renew.unknown", "preparing.taken-over"], (store) => ({
    renew: async ({ operationId, token }, change) =>
      store.renew({ operationId, token: store.tokens.get(operationId) ?? token }, change),
  })),
  "always returns `renewed`": caughtBy(
    ["renew.lost", "renew.unknown", "renew.ended", "remove.settled"],
    (store) => ({
      renew: async (lease, change) => {
        const result = await store.renew(lease, change);
        return result.outcome === "lost" ? { outcome: "renewed", cancelRequested: false } : result;
      },
    }),
  ),
  "drops the progress when a renewal has none": caughtBy(["renew.progress"], (store) => ({
    renew: (lease, { progress = "null", ...change }) => store.renew(lease, { ...change, progress }),
  })),
  "extends the lease whenever progress is written": caughtBy(["renew.progress-alone"], (store) => ({
    renew: (lease, change) => store.renew(lease, { leaseMs: 3_600_000, ...change }),
  })),
});
