import type { Operation } from "async-request-reply/ports";
import { nextTurn } from "../../../src/platform/waits.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

const CANCELLED = { to: "failed", error: '{"title":"cancelled"}' } as const;

/** Stores that break a rule of cancellation. */
export const cancellingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "only requests cancellations and never performs them",
    caughtBy: ["cancel.idle", "cancel.waiting", "cancel.expired"],
    methods: (store) => ({
      requestCancel: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        return operation === undefined ? "unknown" : "requested";
      },
    }),
  },
  {
    name: "hides a requested cancellation from readers",
    caughtBy: ["cancel.live"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const { cancelRequested: _, ...shown } = (await store.get(id, tenant)) ?? {};
        return "id" in shown ? (shown as Operation) : undefined;
      },
    }),
  },
  {
    name: "notifies no worker of a requested cancellation",
    caughtBy: ["cancel.watched"],
    methods: () => ({ watchCancellations: () => () => {} }),
  },
  {
    name: "notifies workers of all changes instead of requested cancellations",
    caughtBy: ["cancel.watched"],
    methods: (store) => ({ watchCancellations: (onRequest) => store.watch?.(onRequest) ?? (() => {}) }),
  },
  {
    name: "cancels for another tenant",
    caughtBy: ["cancel.unseen"],
    methods: (store) => ({
      requestCancel: (id, tenant) => store.requestCancel(id, store.created.get(id)?.tenant ?? tenant),
    }),
  },
  {
    name: "cancels hidden operations",
    caughtBy: ["cancel.unseen"],
    methods: (store) => ({
      requestCancel: async (id, tenant) => {
        const operation = await store.look(id);
        return operation?.hidden === true ? "requested" : store.requestCancel(id, tenant);
      },
    }),
  },
  {
    name: "cancels preparing operations",
    caughtBy: ["cancel.preparing"],
    methods: (store) => ({
      requestCancel: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        return operation?.state === "preparing" ? "cancelled" : store.requestCancel(id, tenant);
      },
    }),
  },
  {
    name: "cancels ended operations",
    caughtBy: ["cancel.terminal", "cancel.expired"],
    methods: (store) => {
      const written = new Map<string, Partial<Operation>>();
      return {
        requestCancel: async (id, tenant) => {
          const outcome = await store.requestCancel(id, tenant);
          if (outcome === "cancelled" || outcome === "terminal") {
            written.set(id, { state: "failed", error: CANCELLED.error });
          }
          return outcome;
        },
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          return operation && { ...operation, ...written.get(id) };
        },
      };
    },
  },
  {
    name: "cancels immediately under a live lease",
    caughtBy: ["cancel.live", "cancel.beaten", "cancel.expired"],
    methods: (store) => ({
      requestCancel: async (id, tenant) => {
        const outcome = await store.requestCancel(id, tenant);
        if (outcome !== "requested") return outcome;
        await store.settle({ operationId: id, token: store.tokens.get(id) ?? "" }, CANCELLED);
        return "cancelled";
      },
    }),
  },
  {
    name: "tells the holder of the lease only once to stop",
    caughtBy: ["cancel.live"],
    methods: (store) => {
      const told = new Set<string>();
      return {
        renew: async (lease, change) => {
          const renewed = await store.renew(lease, change);
          if (renewed.outcome === "lost" || !renewed.cancelRequested) return renewed;
          const again = told.has(lease.operationId);
          told.add(lease.operationId);
          return { ...renewed, cancelRequested: !again };
        },
      };
    },
  },
  {
    name: "forgets a requested cancellation",
    caughtBy: ["cancel.live", "cancel.retried", "cancel.lost"],
    methods: (store, clock) => ({
      requestCancel: async (id, tenant) => {
        const live = store.tokens.has(id) && clock.now() < (store.leaseEndsAt.get(id) ?? 0);
        return live ? "requested" : store.requestCancel(id, tenant);
      },
    }),
  },
  {
    name: "lets a requested cancellation beat completed work",
    caughtBy: ["cancel.beaten"],
    methods: (store) => {
      const marked = new Set<string>();
      return {
        requestCancel: async (id, tenant) => {
          marked.add(id);
          return store.requestCancel(id, tenant);
        },
        settle: (lease, settlement) =>
          store.settle(lease, marked.has(lease.operationId) ? CANCELLED : settlement),
      };
    },
  },
  {
    name: "lets late work beat a cancellation",
    caughtBy: ["cancel.expired"],
    methods: (store) => {
      const written = new Map<string, Partial<Operation>>();
      return {
        settle: async (lease, settlement) => {
          if (settlement.to === "completed") written.set(lease.operationId, { state: "completed" });
          return store.settle(lease, settlement);
        },
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          return operation && { ...operation, ...written.get(id) };
        },
      };
    },
  },
  {
    name: "reads before it cancels, and cancels later",
    caughtBy: ["cancel.race"],
    methods: (store) => ({
      requestCancel: async (id, tenant) => {
        const busy = store.tokens.has(id);
        await nextTurn();
        if (!busy) await store.seize(id);
        return store.requestCancel(id, tenant);
      },
    }),
  },
];
