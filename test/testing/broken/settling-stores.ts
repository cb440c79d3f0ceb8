import type { Operation } from "async-request-reply";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of ending attempts. */
export const settlingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "settles without looking at the token",
    caughtBy: ["settle.stale", "settle.stranger", "settle.two-workers", "preparing.taken-over"],
    methods: (store) => ({
      settle: ({ operationId, token }, settlement, then) =>
        store.settle({ operationId, token: store.tokens.get(operationId) ?? token }, settlement, then),
    }),
  },
  {
    name: "says `settled` to everybody",
    caughtBy: ["settle.unknown", "settle.stale", "settle.stranger", "retry.fences", "follow-ups.lost"],
    methods: (store) => ({
      settle: async (lease, settlement, then) => {
        const settled = await store.settle(lease, settlement, then);
        return settled.outcome === "lost" ? { outcome: "settled", state: "completed" } : settled;
      },
    }),
  },
  {
    name: "loses results and errors",
    caughtBy: ["settle.completed", "settle.failed", "settle.race", "preparing.failed"],
    methods: (store) => ({
      settle: (lease, settlement, then) => {
        if (settlement.to === "completed") return store.settle(lease, { to: "completed" }, then);
        if (settlement.to === "failed") return store.settle(lease, { to: "failed", error: "null" }, then);
        return store.settle(lease, settlement, then);
      },
    }),
  },
  {
    name: "drops late work though nobody has taken over",
    caughtBy: ["settle.late"],
    methods: (store, clock) => ({
      settle: async (lease, settlement, then) => {
        const over = (store.leaseEndsAt.get(lease.operationId) ?? 0) <= clock.now();
        return over ? { outcome: "lost" } : store.settle(lease, settlement, then);
      },
    }),
  },
  {
    name: "overwrites terminal states",
    caughtBy: ["settle.terminal", "settle.stale"],
    methods: (store) => {
      const written = new Map<string, Partial<Operation>>();
      return {
        settle: async (lease, settlement, then) => {
          const before = await store.look(lease.operationId);
          const settled = await store.settle(lease, settlement, then);
          if (before?.settledAt !== undefined && settlement.to === "failed") {
            written.set(lease.operationId, { state: "failed", error: settlement.error });
          }
          return settled;
        },
        get: async (id, scope) => {
          const operation = await store.get(id, scope);
          return operation && { ...operation, ...written.get(id) };
        },
      };
    },
  },
  {
    name: "moves the time of the end when the settle is repeated",
    caughtBy: ["settle.repeated"],
    methods: (store, clock) => {
      const endedAt = new Map<string, number>();
      return {
        settle: async (lease, settlement, then) => {
          endedAt.set(lease.operationId, clock.now());
          return store.settle(lease, settlement, then);
        },
        get: async (id, scope) => {
          const operation = await store.get(id, scope);
          const settledAt = endedAt.get(id);
          return operation?.settledAt && settledAt ? { ...operation, settledAt } : operation;
        },
      };
    },
  },
  {
    name: "answers `lost` to a repeated settle",
    caughtBy: ["settle.repeated", "settle.terminal", "follow-ups.repeated"],
    methods: (store) => ({
      settle: async (lease, settlement, then) => {
        const before = await store.look(lease.operationId);
        return before?.settledAt === undefined ? store.settle(lease, settlement, then) : { outcome: "lost" };
      },
    }),
  },
  {
    name: "tells everybody the state that was asked for",
    caughtBy: ["settle.race", "settle.terminal", "cancel.retried"],
    methods: (store) => ({
      settle: async (lease, settlement, then) => {
        const settled = await store.settle(lease, settlement, then);
        const ends = settlement.to === "completed" || settlement.to === "failed";
        const state = ends ? settlement.to : "pending";
        return settled.outcome === "settled" ? { outcome: "settled", state } : settled;
      },
    }),
  },
];

/** Stores that break a rule of operations that follow another. */
export const followingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "creates no follow-ups",
    caughtBy: ["follow-ups.created", "follow-ups.exists", "follow-ups.repeated"],
    methods: (store) => ({ settle: (lease, settlement) => store.settle(lease, settlement) }),
  },
  {
    name: "creates follow-ups whatever becomes of the settle",
    caughtBy: ["follow-ups.lost", "follow-ups.terminal-only"],
    methods: (store) => ({
      settle: async (lease, settlement, then = []) => {
        for (const operation of then) await store.create(operation);
        return store.settle(lease, settlement);
      },
    }),
  },
  {
    name: "creates follow-ups of attempts that end nothing",
    caughtBy: ["follow-ups.terminal-only"],
    methods: (store) => ({
      settle: async (lease, settlement, then = []) => {
        const settled = await store.settle(lease, settlement);
        if (settled.outcome === "settled") for (const operation of then) await store.create(operation);
        return settled;
      },
    }),
  },
  {
    name: "creates none of the follow-ups when one of them exists",
    caughtBy: ["follow-ups.exists"],
    methods: (store) => ({
      settle: async (lease, settlement, then = []) => {
        const exists = then.some(({ id }) => store.created.has(id));
        return store.settle(lease, settlement, exists ? [] : then);
      },
    }),
  },
  {
    name: "creates follow-ups anew when the settle is repeated",
    caughtBy: ["follow-ups.repeated"],
    methods: (store) => ({
      settle: async (lease, settlement, then = []) => {
        const before = await store.look(lease.operationId);
        if (before?.settledAt !== undefined) for (const { id } of then) await store.seize(id);
        return store.settle(lease, settlement, then);
      },
    }),
  },
  {
    name: "shows follow-ups that are hidden",
    caughtBy: ["follow-ups.created"],
    methods: (store) => ({
      settle: (lease, settlement, then = []) =>
        store.settle(
          lease,
          settlement,
          then.map(({ hidden: _, ...operation }) => operation),
        ),
    }),
  },
];
