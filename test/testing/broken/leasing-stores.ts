import { nextTurn } from "../../../src/platform/waits.js";
import { answering, askingOf, beginning, claimingOne, NOTHING } from "../changed-claims.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of beginning attempts. */
export const leasingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "begins without compare-and-set",
    caughtBy: ["takeover.race"],
    methods: (store, clock) => ({
      claim: claimingOne(store, async (id, request) => {
        const busy = store.tokens.has(id) && clock.now() < (store.leaseEndsAt.get(id) ?? 0);
        await nextTurn();
        if (!busy) await store.seize(id);
        return store.claim(request);
      }),
    }),
  },
  {
    name: "begins despite a live lease",
    caughtBy: ["begin.only", "preparing.lease", "settle.stranger", "renew.extends"],
    methods: (store) => ({
      claim: claimingOne(store, async (id, request) => {
        const claimed = await store.claim(request);
        if (claimed.begun.length > 0) return claimed;
        await store.seize(id);
        return store.claim(request);
      }),
    }),
  },
  {
    name: "shortens a lease",
    caughtBy: ["renew.shorter"],
    methods: (store, clock) => {
      const ends = new Map<string, number>();
      return {
        renew: (lease, change) => {
          if (change.leaseMs !== undefined) ends.set(lease.operationId, clock.now() + change.leaseMs);
          return store.renew(lease, change);
        },
        claim: claimingOne(store, async (id, request) => {
          if (clock.now() >= (ends.get(id) ?? Number.POSITIVE_INFINITY)) await store.seize(id);
          return store.claim(request);
        }),
      };
    },
  },
  {
    name: "counts a repeated call as another attempt",
    caughtBy: ["takeover.repeated"],
    methods: (store) => ({
      claim: claimingOne(store, async (id, { repeated = false, ...request }) => {
        if (repeated) await store.seize(id);
        return store.claim(request);
      }),
    }),
  },
  {
    name: "does not look at the definition of an operation that a claim names",
    caughtBy: ["begin.unknown"],
    methods: (store) => ({
      claim: claimingOne(store, (id, { definitions, ...request }) => {
        const { definition } = store.created.get(id) ?? {};
        const named = definitions.map((each) => ({ ...each, name: definition ?? each.name }));
        return store.claim({ ...request, definitions: named });
      }),
    }),
  },
  {
    name: "begins another operation if the one that a claim names is not due",
    caughtBy: ["begin.only", "begin.unknown"],
    methods: (store) => ({
      claim: claimingOne(store, async (_, { operationId, ...request }) => {
        const claimed = await store.claim({ ...request, operationId: operationId ?? "" });
        return claimed.begun.length > 0 ? claimed : store.claim(request);
      }),
    }),
  },
  {
    name: "begins ended operations again",
    caughtBy: ["begin.terminal"],
    methods: (store) => ({
      claim: claimingOne(store, async (id, request) => {
        const operation = await store.look(id);
        const hasEnded = operation?.settledAt !== undefined;
        return hasEnded ? { ...NOTHING, begun: [{ operation, previousLost: false }] } : store.claim(request);
      }),
    }),
  },
  {
    name: "reports the remaining delay of a retry in seconds",
    caughtBy: ["begin.not-due", "preparing.retried"],
    methods: (store) => ({
      claim: answering(store, ({ nextInMs, ...claimed }) =>
        nextInMs === undefined ? claimed : { ...claimed, nextInMs: nextInMs / 1_000 },
      ),
    }),
  },
  {
    name: "postpones retries when callers ask too early",
    caughtBy: ["begin.not-due", "retry.not-due-keeps"],
    methods: (store, clock) => {
      const blockedUntil = new Map<string, number>();
      return {
        claim: claimingOne(store, async (id, request) => {
          if (clock.now() < (blockedUntil.get(id) ?? 0)) return NOTHING;
          const claimed = await store.claim(request);
          if (claimed.nextInMs !== undefined) blockedUntil.set(id, clock.now() + 2 * claimed.nextInMs);
          return claimed;
        }),
      };
    },
  },
  {
    name: "ends leases a step too early",
    caughtBy: ["preparing.lease", "renew.extends", "cancel.expired", "claim.leased"],
    methods: (store) => ({
      create: (operation, initial) =>
        store.create(
          operation,
          initial?.state === "preparing" ? { ...initial, leaseMs: initial.leaseMs - 1 } : initial,
        ),
      claim: askingOf(store, ({ leaseMs }) => ({ leaseMs: leaseMs - 1 })),
      renew: (lease, { leaseMs = 0, ...change }) => store.renew(lease, { ...change, leaseMs: leaseMs - 1 }),
    }),
  },
  {
    name: "ends leases a step too late",
    caughtBy: ["renew.extends", "cancel.expired", "claim.leased"],
    methods: (store) => ({
      claim: askingOf(store, ({ leaseMs }) => ({ leaseMs: leaseMs + 1 })),
      renew: (lease, { leaseMs = 0, ...change }) => store.renew(lease, { ...change, leaseMs: leaseMs + 1 }),
    }),
  },
  {
    name: "never ends a lease",
    caughtBy: ["takeover.race", "claim.lost"],
    methods: (store) => ({ claim: askingOf(store, () => ({ leaseMs: 1e9 })) }),
  },
  {
    name: "reports every earlier attempt as lost",
    caughtBy: ["takeover.clean", "takeover.retried"],
    methods: (store) => {
      const begun = new Set<string>();
      return {
        claim: beginning(store, ({ operation }) => {
          const previousLost = begun.has(operation.id);
          begun.add(operation.id);
          return { operation, previousLost };
        }),
      };
    },
  },
  {
    name: "forgets a lost attempt when the next one is released",
    caughtBy: ["takeover.given-back"],
    methods: (store) => {
      const forgotten = new Set<string>();
      return {
        settle: async (lease, settlement) => {
          if (settlement.to === "retry" && !settlement.countAttempt) forgotten.add(lease.operationId);
          return store.settle(lease, settlement);
        },
        claim: beginning(store, ({ operation, previousLost }) => ({
          operation,
          previousLost: previousLost && !forgotten.has(operation.id),
        })),
      };
    },
  },
];
