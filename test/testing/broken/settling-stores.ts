import type { Operation } from "async-request-reply/ports";
import { reading, settling } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of ending attempts. */
export const settlingStores = named<TrackedStore>({
  "settles without checking the token": caughtBy(
    ["settle.stale", "settle.stranger", "settle.two-workers", "preparing.taken-over"],
    (store) => ({
      settle: ({ operationId, token }, settlement) =>
        store.settle({ operationId, token: store.tokens.get(operationId) ?? token }, settlement),
    }),
  ),
  "returns `settled` to every caller": caughtBy(
    ["settle.unknown", "settle.stale", "settle.stranger", "retry.fences", "on-end.not-before"],
    (store) => ({
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        return settled.outcome === "lost" ? { outcome: "settled", state: "completed" } : settled;
      },
    }),
  ),
  "loses results and errors": caughtBy(
    ["settle.completed", "settle.failed", "settle.last-error", "settle.race", "preparing.failed"],
    (store) =>
      settling(store, (settlement) => {
        if (settlement.to === "completed") return { to: "completed" };
        return settlement.to === "failed" ? { to: "failed", error: "null" } : settlement;
      }),
  ),
  "forgets why the final attempt failed": caughtBy(["settle.last-error"], (store) =>
    settling(store, (settlement) => {
      if (settlement.to !== "failed") return settlement;
      const { lastError: _, ...failed } = settlement;
      return failed;
    }),
  ),
  "drops the progress of a settlement": caughtBy(["settle.progress"], (store) =>
    settling(store, (settlement) => {
      if (settlement.to === "prepared") return settlement;
      const { progress: _, ...rest } = settlement;
      return rest;
    }),
  ),
  "drops late work although no other worker has taken over": caughtBy(["settle.late"], (store, clock) => ({
    settle: async (lease, settlement) => {
      const over = (store.leaseEndsAt.get(lease.operationId) ?? 0) <= clock.now();
      return over ? { outcome: "lost" } : store.settle(lease, settlement);
    },
  })),
  "stores times only to the second": caughtBy(["settle.times"], (store) =>
    reading(store, (found) => {
      if (found.settledAt === undefined) return found;
      const seconds = (ms: number): number => Math.round(ms / 1_000) * 1_000;
      return { ...found, createdAt: seconds(found.createdAt), settledAt: seconds(found.settledAt) };
    }),
  ),
  "overwrites terminal states": caughtBy(["settle.terminal", "settle.stale"], (store) => {
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
      ...reading(store, (operation) => ({ ...operation, ...written.get(operation.id) })),
    };
  }),
  "changes the time of the end when the settle is repeated": caughtBy(["settle.repeated"], (store, clock) => {
    const endedAt = new Map<string, number>();
    return {
      settle: async (lease, settlement) => {
        endedAt.set(lease.operationId, clock.now());
        return store.settle(lease, settlement);
      },
      ...reading(store, (operation) => {
        const settledAt = endedAt.get(operation.id);
        return operation.settledAt && settledAt ? { ...operation, settledAt } : operation;
      }),
    };
  }),
  "returns `lost` to a repeated settle": caughtBy(
    ["settle.repeated", "settle.terminal", "on-end.once"],
    (store) => ({
      settle: async (lease, settlement) => {
        const before = await store.look(lease.operationId);
        return before?.settledAt === undefined ? store.settle(lease, settlement) : { outcome: "lost" };
      },
    }),
  ),
  "returns the requested state to every caller": caughtBy(
    ["settle.race", "settle.terminal", "cancel.retried"],
    (store) => ({
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        const ends = settlement.to === "completed" || settlement.to === "failed";
        const state = ends ? settlement.to : "pending";
        return settled.outcome === "settled" ? { outcome: "settled", state } : settled;
      },
    }),
  ),
});
