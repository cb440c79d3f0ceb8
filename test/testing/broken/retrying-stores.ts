import type { Operation } from "async-request-reply/ports";
import { claimOne } from "../../support/claims.js";
import { claimingOne, NOTHING, retrying } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of retries and released attempts. */
export const retryingStores = named<TrackedStore>({
  "retries immediately, with any delay": caughtBy(
    [
      "begin.not-due",
      "retry.pending",
      "retry.given-back-later",
      "retry.not-due-keeps",
      "preparing.retried",
      "claim.due",
    ],
    (store) => retrying(store, (retry) => ({ ...retry, delayMs: 0 })),
  ),
  "retries a step too early": caughtBy(["begin.not-due", "retry.pending"], (store) =>
    retrying(store, (retry) => ({ ...retry, delayMs: retry.delayMs - 1 })),
  ),
  "waits a second before every retry": caughtBy(["retry.at-once", "begin.numbers", "retry.frees"], (store) =>
    retrying(store, (retry) => ({ ...retry, delayMs: Math.max(1_000, retry.delayMs) })),
  ),
  "counts released attempts": caughtBy(
    ["begin.numbers", "retry.given-back", "retry.given-back-later", "takeover.given-back"],
    (store) => retrying(store, (retry) => ({ ...retry, countAttempt: true })),
  ),
  "keeps the lease of a settled attempt": caughtBy(["retry.frees", "retry.at-once"], (store, clock) =>
    claimingOne(store, async (id, request) =>
      clock.now() < (store.leaseEndsAt.get(id) ?? 0) ? NOTHING : store.claim(request),
    ),
  ),
  "forgets the reason for a retry": caughtBy(["retry.last-error"], (store) =>
    retrying(store, ({ lastError: _, ...retry }) => retry),
  ),
  "forgets the reason for a retry when the next one has no reason": caughtBy(
    ["retry.last-error"],
    (store) => {
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
  ),
  "lets a token settle again after a retry": caughtBy(["retry.fences"], (store) => ({
    settle: async (lease, settlement) => {
      const settled = await store.settle(lease, settlement);
      if (settled.outcome === "settled" || store.tokens.get(lease.operationId) !== lease.token)
        return settled;
      await claimOne(store, lease.operationId, { token: lease.token, leaseMs: 1 });
      return store.settle(lease, settlement);
    },
  })),
});
