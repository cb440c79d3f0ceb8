import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of renewing leases. */
export const renewingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "renews without extending the lease",
    caughtBy: ["renew.extends", "renew.late", "preparing.renewed", "claim.leased"],
    methods: (store, clock) => ({
      renew: async (lease, change) => {
        const endsAt = store.leaseEndsAt.get(lease.operationId) ?? 0;
        return store.renew(lease, { ...change, leaseMs: endsAt - clock.now() });
      },
    }),
  },
  {
    name: "adds the renewal to the rest of the lease",
    caughtBy: ["renew.extends", "claim.leased"],
    methods: (store, clock) => ({
      renew: async (lease, change) => {
        const left = Math.max(0, (store.leaseEndsAt.get(lease.operationId) ?? 0) - clock.now());
        const { leaseMs } = change;
        return store.renew(lease, leaseMs === undefined ? change : { ...change, leaseMs: left + leaseMs });
      },
    }),
  },
  {
    name: "does not renew expired leases",
    caughtBy: ["renew.late"],
    methods: (store, clock) => ({
      renew: async (lease, change) => {
        const over = (store.leaseEndsAt.get(lease.operationId) ?? 0) <= clock.now();
        return over ? { outcome: "lost" } : store.renew(lease, change);
      },
    }),
  },
  {
    name: "renews for any caller",
    caughtBy: ["renew.lost", "renew.unknown", "preparing.taken-over"],
    methods: (store) => ({
      renew: async ({ operationId, token }, change) =>
        store.renew({ operationId, token: store.tokens.get(operationId) ?? token }, change),
    }),
  },
  {
    name: "always returns `renewed`",
    caughtBy: ["renew.lost", "renew.unknown", "renew.ended", "remove.settled"],
    methods: (store) => ({
      renew: async (lease, change) => {
        const result = await store.renew(lease, change);
        return result.outcome === "lost" ? { outcome: "renewed", cancelRequested: false } : result;
      },
    }),
  },
  {
    name: "drops the progress when a renewal has none",
    caughtBy: ["renew.progress"],
    methods: (store) => ({
      renew: (lease, { progress = "null", ...change }) => store.renew(lease, { ...change, progress }),
    }),
  },
  {
    name: "extends the lease whenever progress is written",
    caughtBy: ["renew.progress-alone"],
    methods: (store) => ({
      renew: (lease, change) => store.renew(lease, { leaseMs: 3_600_000, ...change }),
    }),
  },
];
