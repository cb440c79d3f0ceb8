import type { Operation } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of ending attempts. */
export const settlingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "settles without checking the token",
    caughtBy: ["settle.stale", "settle.stranger", "settle.two-workers", "preparing.taken-over"],
    methods: (store) => ({
      settle: ({ operationId, token }, settlement) =>
        store.settle({ operationId, token: store.tokens.get(operationId) ?? token }, settlement),
    }),
  },
  {
    name: "returns `settled` to every caller",
    caughtBy: ["settle.unknown", "settle.stale", "settle.stranger", "retry.fences", "on-end.not-before"],
    methods: (store) => ({
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        return settled.outcome === "lost" ? { outcome: "settled", state: "completed" } : settled;
      },
    }),
  },
  {
    name: "loses results and errors",
    caughtBy: ["settle.completed", "settle.failed", "settle.last-error", "settle.race", "preparing.failed"],
    methods: (store) => ({
      settle: (lease, settlement) => {
        if (settlement.to === "completed") return store.settle(lease, { to: "completed" });
        if (settlement.to === "failed") return store.settle(lease, { to: "failed", error: "null" });
        return store.settle(lease, settlement);
      },
    }),
  },
  {
    name: "forgets why the final attempt failed",
    caughtBy: ["settle.last-error"],
    methods: (store) => ({
      settle: (lease, settlement) => {
        if (settlement.to !== "failed") return store.settle(lease, settlement);
        const { lastError: _, ...failed } = settlement;
        return store.settle(lease, failed);
      },
    }),
  },
  {
    name: "drops the progress of a settlement",
    caughtBy: ["settle.progress"],
    methods: (store) => ({
      settle: (lease, settlement) => {
        if (settlement.to === "prepared") return store.settle(lease, settlement);
        const { progress: _, ...rest } = settlement;
        return store.settle(lease, rest);
      },
    }),
  },
  {
    name: "drops late work although no other worker has taken over",
    caughtBy: ["settle.late"],
    methods: (store, clock) => ({
      settle: async (lease, settlement) => {
        const over = (store.leaseEndsAt.get(lease.operationId) ?? 0) <= clock.now();
        return over ? { outcome: "lost" } : store.settle(lease, settlement);
      },
    }),
  },
  {
    name: "stores times only to the second",
    caughtBy: ["settle.times"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const found = await store.get(id, tenant);
        if (found?.settledAt === undefined) return found;
        const seconds = (ms: number): number => Math.round(ms / 1_000) * 1_000;
        return { ...found, createdAt: seconds(found.createdAt), settledAt: seconds(found.settledAt) };
      },
    }),
  },
  {
    name: "overwrites terminal states",
    caughtBy: ["settle.terminal", "settle.stale"],
    methods: (store) => {
      const written = new Map<string, Partial<Operation>>();
      return {
        settle: async (lease, settlement) => {
          const before = await store.look(lease.operationId);
          const settled = await store.settle(lease, settlement);
          if (before?.settledAt !== undefined && settlement.to === "failed") {
            written.set(lease.operationId, { state: "failed", error: settlement.error });
          }
          return settled;
        },
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          return operation && { ...operation, ...written.get(id) };
        },
      };
    },
  },
  {
    name: "changes the time of the end when the settle is repeated",
    caughtBy: ["settle.repeated"],
    methods: (store, clock) => {
      const endedAt = new Map<string, number>();
      return {
        settle: async (lease, settlement) => {
          endedAt.set(lease.operationId, clock.now());
          return store.settle(lease, settlement);
        },
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          const settledAt = endedAt.get(id);
          return operation?.settledAt && settledAt ? { ...operation, settledAt } : operation;
        },
      };
    },
  },
  {
    name: "returns `lost` to a repeated settle",
    caughtBy: ["settle.repeated", "settle.terminal", "on-end.once"],
    methods: (store) => ({
      settle: async (lease, settlement) => {
        const before = await store.look(lease.operationId);
        return before?.settledAt === undefined ? store.settle(lease, settlement) : { outcome: "lost" };
      },
    }),
  },
  {
    name: "returns the requested state to every caller",
    caughtBy: ["settle.race", "settle.terminal", "cancel.retried"],
    methods: (store) => ({
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        const ends = settlement.to === "completed" || settlement.to === "failed";
        const state = ends ? settlement.to : "pending";
        return settled.outcome === "settled" ? { outcome: "settled", state } : settled;
      },
    }),
  },
];
