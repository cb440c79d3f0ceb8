import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of retries and attempts that are given back. */
export const retryingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "retries at once, whatever the delay",
    caughtBy: [
      "begin.not-due",
      "retry.pending",
      "retry.given-back-later",
      "retry.not-due-keeps",
      "preparing.retried",
      "due.retried",
    ],
    methods: (store) => ({
      settle: (lease, settlement, then) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, delayMs: 0 } : settlement, then),
    }),
  },
  {
    name: "retries a step too early",
    caughtBy: ["begin.not-due", "retry.pending", "due.retried"],
    methods: (store) => ({
      settle: (lease, settlement, then) => {
        const early = settlement.to === "retry" ? settlement.delayMs - 1 : 0;
        return store.settle(
          lease,
          settlement.to === "retry" ? { ...settlement, delayMs: early } : settlement,
          then,
        );
      },
    }),
  },
  {
    name: "waits a second before every retry",
    caughtBy: ["retry.at-once", "begin.numbers", "retry.frees"],
    methods: (store) => ({
      settle: (lease, settlement, then) => {
        const slow = settlement.to === "retry" ? Math.max(1_000, settlement.delayMs) : 0;
        return store.settle(
          lease,
          settlement.to === "retry" ? { ...settlement, delayMs: slow } : settlement,
          then,
        );
      },
    }),
  },
  {
    name: "counts attempts that were given back",
    caughtBy: ["begin.numbers", "retry.given-back", "retry.given-back-later", "takeover.given-back"],
    methods: (store) => ({
      settle: (lease, settlement, then) =>
        store.settle(
          lease,
          settlement.to === "retry" ? { ...settlement, countAttempt: true } : settlement,
          then,
        ),
    }),
  },
  {
    name: "keeps the lease of an attempt that was settled",
    caughtBy: ["retry.frees", "retry.at-once"],
    methods: (store, clock) => ({
      beginAttempt: async (id, lease) =>
        clock.now() < (store.leaseEndsAt.get(id) ?? 0) ? { outcome: "busy" } : store.beginAttempt(id, lease),
    }),
  },
  {
    name: "lets a token settle again after a retry",
    caughtBy: ["retry.fences"],
    methods: (store) => ({
      settle: async (lease, settlement, then) => {
        const settled = await store.settle(lease, settlement, then);
        if (settled.outcome === "settled" || store.tokens.get(lease.operationId) !== lease.token)
          return settled;
        await store.beginAttempt(lease.operationId, { token: lease.token, leaseMs: 1 });
        return store.settle(lease, settlement, then);
      },
    }),
  },
];
