import { nextTurn } from "../../../src/platform/waits.js";
import { answering, askingOf, beginning, claimingOne, NOTHING } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of beginning attempts. */
export const leasingStores = named<TrackedStore>({
  "begins without compare-and-set": caughtBy(["takeover.race"], (store, clock) =>
    claimingOne(store, async (id, request) => {
      const busy = store.tokens.has(id) && clock.now() < (store.leaseEndsAt.get(id) ?? 0);
      await nextTurn();
      if (!busy) await store.seize(id);
      return store.claim(request);
    }),
  ),
  "begins despite a live lease": caughtBy(
    ["begin.only", "preparing.lease", "settle.stranger", "renew.extends"],
    (store) =>
      claimingOne(store, async (id, request) => {
        const claimed = await store.claim(request);
        if (claimed.begun.length > 0) return claimed;
        await store.seize(id);
        return store.claim(request);
      }),
  ),
  "shortens a lease": caughtBy(["renew.shorter"], (store, clock) => {
    const ends = new Map<string, number>();
    return {
      renew: (lease, change) => {
        if (change.leaseMs !== undefined) ends.set(lease.operationId, clock.now() + change.leaseMs);
        return store.renew(lease, change);
      },
      ...claimingOne(store, async (id, request) => {
        if (clock.now() >= (ends.get(id) ?? Number.POSITIVE_INFINITY)) await store.seize(id);
        return store.claim(request);
      }),
    };
  }),
  "counts a repeated call as another attempt": caughtBy(["takeover.repeated"], (store) =>
    claimingOne(store, async (id, { repeated = false, ...request }) => {
      if (repeated) await store.seize(id);
      return store.claim(request);
    }),
  ),
  "does not look at the definition of an operation that a claim names": caughtBy(["begin.unknown"], (store) =>
    claimingOne(store, (id, { definitions, ...request }) => {
      const { definition } = store.created.get(id) ?? {};
      const named = definitions.map((each) => ({ ...each, name: definition ?? each.name }));
      return store.claim({ ...request, definitions: named });
    }),
  ),
  "begins another operation if the one that a claim names is not due": caughtBy(
    ["begin.only", "begin.unknown"],
    (store) =>
      claimingOne(store, async (_, { operationId, ...request }) => {
        const claimed = await store.claim({ ...request, operationId: operationId ?? "" });
        return claimed.begun.length > 0 ? claimed : store.claim(request);
      }),
  ),
  "begins ended operations again": caughtBy(["begin.terminal"], (store) =>
    claimingOne(store, async (id, request) => {
      const operation = await store.look(id);
      const hasEnded = operation?.settledAt !== undefined;
      return hasEnded ? { ...NOTHING, begun: [{ operation, previousLost: false }] } : store.claim(request);
    }),
  ),
  "reports the remaining delay of a retry in seconds": caughtBy(
    ["begin.not-due", "preparing.retried"],
    (store) =>
      answering(store, ({ nextInMs, ...claimed }) =>
        nextInMs === undefined ? claimed : { ...claimed, nextInMs: nextInMs / 1_000 },
      ),
  ),
  "postpones retries when callers ask too early": caughtBy(
    ["begin.not-due", "retry.not-due-keeps"],
    (store, clock) => {
      const blockedUntil = new Map<string, number>();
      return {
        ...claimingOne(store, async (id, request) => {
          if (clock.now() < (blockedUntil.get(id) ?? 0)) return NOTHING;
          const claimed = await store.claim(request);
          if (claimed.nextInMs !== undefined) blockedUntil.set(id, clock.now() + 2 * claimed.nextInMs);
          return claimed;
        }),
      };
    },
  ),
  "ends leases a step too early": caughtBy(
    ["preparing.lease", "renew.extends", "cancel.expired", "claim.leased"],
    (store) => ({
      create: (operation, initial) =>
        store.create(
          operation,
          initial?.state === "preparing" ? { ...initial, leaseMs: initial.leaseMs - 1 } : initial,
        ),
      ...askingOf(store, ({ leaseMs }) => ({ leaseMs: leaseMs - 1 })),
      renew: (lease, { leaseMs = 0, ...change }) => store.renew(lease, { ...change, leaseMs: leaseMs - 1 }),
    }),
  ),
  "ends leases a step too late": caughtBy(["renew.extends", "cancel.expired", "claim.leased"], (store) => ({
    ...askingOf(store, ({ leaseMs }) => ({ leaseMs: leaseMs + 1 })),
    renew: (lease, { leaseMs = 0, ...change }) => store.renew(lease, { ...change, leaseMs: leaseMs + 1 }),
  })),
  "never ends a lease": caughtBy(["takeover.race", "claim.lost"], (store) =>
    askingOf(store, () => ({ leaseMs: 1e9 })),
  ),
  "reports every earlier attempt as lost": caughtBy(["takeover.clean", "takeover.retried"], (store) => {
    const begun = new Set<string>();
    return {
      ...beginning(store, ({ operation }) => {
        const previousLost = begun.has(operation.id);
        begun.add(operation.id);
        return { operation, previousLost };
      }),
    };
  }),
  "forgets a lost attempt when the next one is released": caughtBy(["takeover.given-back"], (store) => {
    const forgotten = new Set<string>();
    return {
      settle: async (lease, settlement) => {
        if (settlement.to === "retry" && !settlement.countAttempt) forgotten.add(lease.operationId);
        return store.settle(lease, settlement);
      },
      ...beginning(store, ({ operation, previousLost }) => ({
        operation,
        previousLost: previousLost && !forgotten.has(operation.id),
      })),
    };
  }),
});
