import type { Operation } from "async-request-reply/ports";
import { nextTurn } from "../../../src/platform/waits.js";
import { reading } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

const CANCELLED = { to: "failed", error: '{"title":"cancelled"}' } as const;

/** Stores that break a rule of cancellation. */
export const cancellingStores = named<TrackedStore>({
  "only requests cancellations and never performs them": caughtBy(
    ["cancel.idle", "cancel.waiting", "cancel.expired"],
    (store) => ({
      requestCancel: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        return operation === undefined ? "unknown" : "requested";
      },
    }),
  ),
  "hides a requested cancellation from readers": caughtBy(["cancel.live"], (store) =>
    reading(store, ({ cancelRequested: _, ...shown }) => shown),
  ),
  "notifies no worker of a requested cancellation": caughtBy(["cancel.watched"], () => ({
    watchCancellations: () => () => {},
  })),
  "notifies workers of all changes instead of requested cancellations": caughtBy(
    ["cancel.watched"],
    (store) => ({ watchCancellations: (onRequest) => store.watch?.(onRequest) ?? (() => {}) }),
  ),
  "cancels for another tenant": caughtBy(["cancel.unseen"], (store) => ({
    requestCancel: (id, tenant) => store.requestCancel(id, store.created.get(id)?.tenant ?? tenant),
  })),
  "cancels hidden operations": caughtBy(["cancel.unseen"], (store) => ({
    requestCancel: async (id, tenant) => {
      const operation = await store.look(id);
      return operation?.hidden === true ? "requested" : store.requestCancel(id, tenant);
    },
  })),
  "cancels preparing operations": caughtBy(["cancel.preparing"], (store) => ({
    requestCancel: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      return operation?.state === "preparing" ? "cancelled" : store.requestCancel(id, tenant);
    },
  })),
  "cancels ended operations": caughtBy(["cancel.terminal", "cancel.expired"], (store) => {
    const written = new Map<string, Partial<Operation>>();
    return {
      requestCancel: async (id, tenant) => {
        const outcome = await store.requestCancel(id, tenant);
        if (outcome === "cancelled" || outcome === "terminal") {
          written.set(id, { state: "failed", error: CANCELLED.error });
        }
        return outcome;
      },
      ...reading(store, (operation) => ({ ...operation, ...written.get(operation.id) })),
    };
  }),
  "cancels immediately under a live lease": caughtBy(
    ["cancel.live", "cancel.beaten", "cancel.expired"],
    (store) => ({
      requestCancel: async (id, tenant) => {
        const outcome = await store.requestCancel(id, tenant);
        if (outcome !== "requested") return outcome;
        await store.settle({ operationId: id, token: store.tokens.get(id) ?? "" }, CANCELLED);
        return "cancelled";
      },
    }),
  ),
  "tells the holder of the lease only once to stop": caughtBy(["cancel.live"], (store) => {
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
  }),
  "forgets a requested cancellation": caughtBy(
    ["cancel.live", "cancel.retried", "cancel.lost"],
    (store, clock) => ({
      requestCancel: async (id, tenant) => {
        const live = store.tokens.has(id) && clock.now() < (store.leaseEndsAt.get(id) ?? 0);
        return live ? "requested" : store.requestCancel(id, tenant);
      },
    }),
  ),
  "lets a requested cancellation beat completed work": caughtBy(["cancel.beaten"], (store) => {
    const marked = new Set<string>();
    return {
      requestCancel: async (id, tenant) => {
        marked.add(id);
        return store.requestCancel(id, tenant);
      },
      settle: (lease, settlement) =>
        store.settle(lease, marked.has(lease.operationId) ? CANCELLED : settlement),
    };
  }),
  "lets late work beat a cancellation": caughtBy(["cancel.expired"], (store) => {
    const written = new Map<string, Partial<Operation>>();
    return {
      settle: async (lease, settlement) => {
        if (settlement.to === "completed") written.set(lease.operationId, { state: "completed" });
        return store.settle(lease, settlement);
      },
      ...reading(store, (operation) => ({ ...operation, ...written.get(operation.id) })),
    };
  }),
  "reads before it cancels, and cancels later": caughtBy(["cancel.race"], (store) => ({
    requestCancel: async (id, tenant) => {
      const busy = store.tokens.has(id);
      await nextTurn();
      if (!busy) await store.seize(id);
      return store.requestCancel(id, tenant);
    },
  })),
});
