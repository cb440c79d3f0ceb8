import { claimOne } from "../../support/claims.js";
import { beginning } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of operations whose resource is being created. */
export const preparingStores = named<TrackedStore>({
  "treats every creation of a preparing operation as the creator's": caughtBy(
    ["preparing.repeated", "preparing.taken-over"],
    (store) => ({
      create: async (operation, initial) => {
        const known = await store.look(operation.id);
        return known?.state === "preparing" ? "created" : store.create(operation, initial);
      },
    }),
  ),
  "never stops accepting the creator's token": caughtBy(
    ["preparing.repeated-late", "preparing.taken-over"],
    (store) => {
      const creators = new Map<string, string>();
      return {
        create: async (operation, initial) => {
          const outcome = await store.create(operation, initial);
          if (initial?.state !== "preparing") return outcome;
          if (outcome === "created") creators.set(operation.id, initial.token);
          return creators.get(operation.id) === initial.token ? "created" : "exists";
        },
      };
    },
  ),
  "returns `exists` to the creator's repeated creation": caughtBy(["preparing.repeated"], (store) => ({
    create: async (operation, initial) =>
      store.created.has(operation.id) ? "exists" : store.create(operation, initial),
  })),
  "renews only pending operations": caughtBy(["preparing.renewed"], (store) => ({
    renew: async (lease, change) => {
      const operation = await store.look(lease.operationId);
      return operation?.state === "preparing" ? { outcome: "lost" } : store.renew(lease, change);
    },
  })),
  "counts the creation as an attempt of the work": caughtBy(
    ["preparing.prepared", "preparing.taken-over"],
    (store) => {
      const prepared = new Set<string>();
      return {
        settle: async (lease, settlement) => {
          if (settlement.to === "prepared") prepared.add(lease.operationId);
          return store.settle(lease, settlement);
        },
        ...beginning(store, (begun) => {
          const { id, attempt } = begun.operation;
          return prepared.has(id)
            ? { ...begun, operation: { ...begun.operation, attempt: attempt + 1 } }
            : begun;
        }),
      };
    },
  ),
  "fails no preparing operation": caughtBy(["preparing.failed"], (store) => ({
    settle: async (lease, settlement) => {
      const operation = await store.look(lease.operationId);
      const fails = operation?.state === "preparing" && settlement.to === "failed";
      const instead = { to: "prepared", resource: '{"body":{}}' } as const;
      return store.settle(lease, fails ? instead : settlement);
    },
  })),
  "makes preparing operations pending when they are retried": caughtBy(["preparing.retried"], (store) => ({
    settle: async (lease, settlement) => {
      const operation = await store.look(lease.operationId);
      const retries = operation?.state === "preparing" && settlement.to === "retry";
      return store.settle(lease, retries ? { to: "prepared", resource: '{"body":{}}' } : settlement);
    },
  })),
  "completes preparing operations": caughtBy(["preparing.completed"], (store) => ({
    settle: async (lease, settlement) => {
      const operation = await store.look(lease.operationId);
      if (operation?.state === "preparing" && settlement.to === "completed") {
        await store.settle(lease, { to: "prepared", resource: '{"body":{}}' });
        await claimOne(store, lease.operationId, { token: lease.token, leaseMs: 1 });
      }
      return store.settle(lease, settlement);
    },
  })),
  "prepares pending operations": caughtBy(["settle.not-preparing"], (store) => ({
    settle: async (lease, settlement) => {
      const settled = await store.settle(lease, settlement);
      const held = store.tokens.get(lease.operationId) === lease.token;
      return settlement.to === "prepared" && held ? { outcome: "settled", state: "pending" } : settled;
    },
  })),
});
