import { nextTurn } from "../../../src/ports/waits.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of beginning attempts. */
export const leasingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "begins without compare-and-set",
    caughtBy: ["begin.race", "takeover.race"],
    methods: (store, clock) => ({
      beginAttempt: async (id, lease) => {
        const busy = store.tokens.has(id) && clock.now() < (store.leaseEndsAt.get(id) ?? 0);
        await nextTurn();
        if (!busy) await store.seize(id);
        return store.beginAttempt(id, lease);
      },
    }),
  },
  {
    name: "begins despite a live lease",
    caughtBy: ["begin.race", "takeover.boundary", "preparing.lease", "settle.stranger", "renew.extends"],
    methods: (store) => ({
      beginAttempt: async (id, lease) => {
        const result = await store.beginAttempt(id, lease);
        if (result.outcome !== "busy") return result;
        await store.seize(id);
        return store.beginAttempt(id, lease);
      },
    }),
  },
  {
    name: "counts a repeated call as another attempt",
    caughtBy: ["begin.repeated", "begin.repeated-late", "takeover.repeated"],
    methods: (store) => ({
      beginAttempt: async (id, lease) => {
        if (store.tokens.get(id) === lease.token) await store.seize(id);
        return store.beginAttempt(id, lease);
      },
    }),
  },
  {
    name: "returns `busy` to the holder of the lease",
    caughtBy: ["begin.repeated", "begin.repeated-late"],
    methods: (store) => ({
      beginAttempt: async (id, lease) =>
        store.tokens.get(id) === lease.token ? { outcome: "busy" } : store.beginAttempt(id, lease),
    }),
  },
  {
    name: "returns `busy` for unknown operations",
    caughtBy: ["begin.unknown", "remove.settled", "on-end.not-before"],
    methods: (store) => ({
      beginAttempt: async (id, lease) => {
        const result = await store.beginAttempt(id, lease);
        return result.outcome === "unknown" ? { outcome: "busy" } : result;
      },
    }),
  },
  {
    name: "restarts ended operations for the token that ended them",
    caughtBy: ["begin.terminal"],
    methods: (store) => ({
      beginAttempt: async (id, lease) => {
        const result = await store.beginAttempt(id, lease);
        const operation = await store.look(id);
        const mine = result.outcome === "terminal" && store.tokens.get(id) === lease.token;
        return mine && operation ? { outcome: "begun", operation, previousLost: false } : result;
      },
    }),
  },
  {
    name: "reports the remaining delay of a retry in seconds",
    caughtBy: ["begin.not-due"],
    methods: (store) => ({
      beginAttempt: async (id, lease) => {
        const result = await store.beginAttempt(id, lease);
        return result.outcome === "not-due" ? { ...result, dueInMs: result.dueInMs / 1_000 } : result;
      },
    }),
  },
  {
    name: "postpones retries when callers ask too early",
    caughtBy: ["begin.not-due", "retry.not-due-keeps"],
    methods: (store, clock) => {
      const blockedUntil = new Map<string, number>();
      return {
        beginAttempt: async (id, lease) => {
          if (clock.now() < (blockedUntil.get(id) ?? 0)) return { outcome: "busy" };
          const result = await store.beginAttempt(id, lease);
          if (result.outcome === "not-due") blockedUntil.set(id, clock.now() + 2 * result.dueInMs);
          return result;
        },
      };
    },
  },
  {
    name: "ends leases a step too early",
    caughtBy: ["takeover.boundary", "preparing.lease", "renew.extends", "cancel.expired", "due.begun"],
    methods: (store) => ({
      create: (operation, initial) =>
        store.create(
          operation,
          initial?.state === "preparing" ? { ...initial, leaseMs: initial.leaseMs - 1 } : initial,
        ),
      beginAttempt: (id, lease) => store.beginAttempt(id, { ...lease, leaseMs: lease.leaseMs - 1 }),
      renew: (lease, { leaseMs = 0, ...change }) => store.renew(lease, { ...change, leaseMs: leaseMs - 1 }),
    }),
  },
  {
    name: "ends leases a step too late",
    caughtBy: ["takeover.boundary", "renew.extends", "cancel.expired", "due.begun"],
    methods: (store) => ({
      beginAttempt: (id, lease) => store.beginAttempt(id, { ...lease, leaseMs: lease.leaseMs + 1 }),
      renew: (lease, { leaseMs = 0, ...change }) => store.renew(lease, { ...change, leaseMs: leaseMs + 1 }),
    }),
  },
  {
    name: "never ends a lease",
    caughtBy: ["takeover.boundary", "takeover.after", "takeover.race", "due.handed-out"],
    methods: (store) => ({
      beginAttempt: (id, lease) => store.beginAttempt(id, { ...lease, leaseMs: 1e9 }),
    }),
  },
  {
    name: "never reports a lost attempt",
    caughtBy: ["takeover.boundary", "takeover.repeated", "takeover.given-back", "preparing.lease"],
    methods: (store) => ({
      beginAttempt: async (id, lease) => {
        const result = await store.beginAttempt(id, lease);
        return result.outcome === "begun" ? { ...result, previousLost: false } : result;
      },
    }),
  },
  {
    name: "reports every earlier attempt as lost",
    caughtBy: ["takeover.clean", "takeover.retried"],
    methods: (store) => {
      const begun = new Set<string>();
      return {
        beginAttempt: async (id, lease) => {
          const again = begun.has(id);
          begun.add(id);
          const result = await store.beginAttempt(id, lease);
          return result.outcome === "begun" ? { ...result, previousLost: again } : result;
        },
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
        beginAttempt: async (id, lease) => {
          const result = await store.beginAttempt(id, lease);
          const forgets = result.outcome === "begun" && forgotten.has(id);
          return forgets ? { ...result, previousLost: false } : result;
        },
      };
    },
  },
];
