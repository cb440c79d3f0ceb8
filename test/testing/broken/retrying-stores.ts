import type { Operation } from "async-request-reply/ports";
import { claimOne } from "../../support/claims.js";
import { claimingOne, NOTHING } from "../changed-claims.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of retries and released attempts. */
export const retryingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "retries immediately, with any delay",
    caughtBy: [
      "begin.not-due",
      "retry.pending",
      "retry.given-back-later",
      "retry.not-due-keeps",
      "preparing.retried",
      "claim.due",
    ],
    methods: (store) => ({
      settle: (lease, settlement) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, delayMs: 0 } : settlement),
    }),
  },
  {
    name: "retries a step too early",
    caughtBy: ["begin.not-due", "retry.pending"],
    methods: (store) => ({
      settle: (lease, settlement) => {
        const early = settlement.to === "retry" ? settlement.delayMs - 1 : 0;
        return store.settle(
          lease,
          settlement.to === "retry" ? { ...settlement, delayMs: early } : settlement,
        );
      },
    }),
  },
  {
    name: "waits a second before every retry",
    caughtBy: ["retry.at-once", "begin.numbers", "retry.frees"],
    methods: (store) => ({
      settle: (lease, settlement) => {
        const slow = settlement.to === "retry" ? Math.max(1_000, settlement.delayMs) : 0;
        return store.settle(lease, settlement.to === "retry" ? { ...settlement, delayMs: slow } : settlement);
      },
    }),
  },
  {
    name: "counts released attempts",
    caughtBy: ["begin.numbers", "retry.given-back", "retry.given-back-later", "takeover.given-back"],
    methods: (store) => ({
      settle: (lease, settlement) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, countAttempt: true } : settlement),
    }),
  },
  {
    name: "keeps the lease of a settled attempt",
    caughtBy: ["retry.frees", "retry.at-once"],
    methods: (store, clock) => ({
      claim: claimingOne(store, async (id, request) =>
        clock.now() < (store.leaseEndsAt.get(id) ?? 0) ? NOTHING : store.claim(request),
      ),
    }),
  },
  {
    name: "forgets the reason for a retry",
    caughtBy: ["retry.last-error"],
    methods: (store) => ({
      settle: (lease, settlement) => {
        if (settlement.to !== "retry") return store.settle(lease, settlement);
        const { lastError: _, ...retry } = settlement;
        return store.settle(lease, retry);
      },
    }),
  },
  {
    name: "forgets the reason for a retry when the next one has no reason",
    caughtBy: ["retry.last-error"],
    methods: (store) => {
      const silent = new Set<string>();
      return {
        settle: (lease, settlement) => {
          const says = settlement.to === "retry" && settlement.lastError !== undefined;
          if (says) silent.delete(lease.operationId);
          else silent.add(lease.operationId);
          return store.settle(lease, settlement);
        },
        get: async (id, tenant) => {
          const { lastError, ...operation } = (await store.get(id, tenant)) ?? {};
          return (silent.has(id) ? operation : { ...operation, lastError }) as Operation;
        },
      };
    },
  },
  {
    name: "lets a token settle again after a retry",
    caughtBy: ["retry.fences"],
    methods: (store) => ({
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        if (settled.outcome === "settled" || store.tokens.get(lease.operationId) !== lease.token)
          return settled;
        await claimOne(store, lease.operationId, { token: lease.token, leaseMs: 1 });
        return store.settle(lease, settlement);
      },
    }),
  },
];
