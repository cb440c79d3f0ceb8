import type { PendingRequest } from "../../../../ports/operation-reads.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual } from "../../../expect.js";
import {
  begins,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  LONG_MS,
  type OperationStoreCheck,
} from "../fixtures.js";

async function countsOf(store: OperationStore, ...requests: readonly PendingRequest[]) {
  return store.countPending(requests);
}

const definition = "orders";

export const countPendingChecks: readonly OperationStoreCheck[] = [
  {
    rule: "pending.counts",
    name: "counts operations that wait, are delayed, run or are being created, of any urgency and lane, and none that have ended",
    check: async (store) => {
      for (const urgency of [0, 3, 7]) await createPending(store, { urgency });
      await createPending(store, { delayMs: LONG_MS });
      await createPending(store, { hidden: true });
      await createWorking(store);
      await createPreparing(store, LONG_MS);
      await createEnded(store);
      await createEnded(store, {}, FAILED);
      const lane = "one";
      const [, second] = [await createPending(store, { lane }), await createPending(store, { lane })];
      // A store may find out only now that an earlier one of the lane has not ended.
      await begins(store, second.id);
      const counts = await countsOf(
        store,
        { definition, most: 100 },
        { definition, tenant: "tenant-1", most: 100 },
      );
      deepEqual(counts, [9, 9], "the counts of all tenants and of the only one");
    },
  },
  {
    rule: "pending.apart",
    name: "counts each definition and each tenant apart, one count per request, in order",
    check: async (store) => {
      for (const tenant of ["a", "a", "b"]) await createPending(store, { tenant });
      await createWorking(store, LONG_MS, { tenant: "b" });
      await createPending(store, { tenant: "a", definition: "invoices" });
      const most = 100;
      const counts = await countsOf(
        store,
        { definition, tenant: "b", most },
        { definition: "invoices", most },
        { definition, tenant: "a", most },
        { definition, tenant: "c", most },
        { definition: "unknown", most },
        { definition, most },
      );
      deepEqual(counts, [2, 1, 2, 0, 0, 4], "the counts");
    },
  },
  {
    rule: "pending.most",
    name: "stops each count at its `most`",
    check: async (store) => {
      for (let count = 0; count < 4; count += 1) await createPending(store);
      await createWorking(store);
      const tenant = "tenant-1";
      const counts = await countsOf(
        store,
        { definition, most: 3 },
        { definition, tenant, most: 2 },
        { definition, tenant, most: 5 },
      );
      deepEqual(counts, [3, 2, 5], "the counts");
    },
  },
];
