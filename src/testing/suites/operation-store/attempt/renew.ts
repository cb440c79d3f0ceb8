import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { DIFFICULT_TEXT } from "../create/create.js";
import {
  begin,
  begins,
  createEnded,
  createWorking,
  GIVEN_BACK,
  LONG_MS,
  newId,
  newToken,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "../fixtures.js";

export const renewChecks: readonly OperationStoreCheck[] = [
  {
    rule: "renew.extends",
    name: "extends the lease to its new length, counted from the renewal",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, 5 * unitMs);
      await pass(3 * unitMs);
      const renewed = await store.renew(lease, { leaseMs: 5 * unitMs });
      deepEqual(renewed, { outcome: "renewed", cancelRequested: false }, "renewing in time");
      await pass(4 * unitMs);
      equal(await begins(store, operation.id), false, "beginning before the end of the renewed lease");
      await pass(unitMs);
      equal(await begins(store, operation.id), true, "beginning at the end of the renewed lease");
    },
  },
  {
    rule: "renew.shorter",
    name: "never shortens a lease",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, LONG_MS);
      isOutcome(await store.renew(lease, { leaseMs: unitMs }), "renewed", "renewing for a shorter time");
      await pass(2 * unitMs);
      equal(await begins(store, operation.id), false, "beginning before the end of the first lease");
    },
  },
  {
    rule: "renew.late",
    name: "renews an expired lease unless another worker has taken over",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, unitMs);
      await pass(10 * unitMs);
      isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing late");
      equal(await begins(store, operation.id), false, "beginning after the renewal");
    },
  },
  {
    rule: "renew.lost",
    name: "renews nothing for a token after a takeover and changes nothing",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, unitMs);
      await pass(unitMs);
      const second = await begin(store, operation.id, { leaseMs: 5 * unitMs });
      const change = { leaseMs: LONG_MS, progress: '"stale"' };
      isOutcome(await store.renew(lease, change), "lost", "renewing with the old token");
      equal((await read(store, operation)).progress, undefined, "the progress");
      isOutcome(
        await store.renew(second.lease, { leaseMs: 5 * unitMs }),
        "renewed",
        "renewing as the holder",
      );
      await pass(5 * unitMs);
      isOutcome(
        await store.renew(lease, change),
        "lost",
        "renewing with the old token when all leases are over",
      );
      equal(await begins(store, operation.id), true, "beginning at the end of the holder's lease");
    },
  },
  {
    rule: "renew.unknown",
    name: "renews nothing for an unknown operation or an unknown token",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      const stranger = { ...lease, token: newToken() };
      isOutcome(
        await store.renew(stranger, { leaseMs: 1, progress: "1" }),
        "lost",
        "renewing with an unknown token",
      );
      equal((await read(store, operation)).progress, undefined, "the progress");
      const unknown = { ...lease, operationId: newId() };
      isOutcome(await store.renew(unknown, { leaseMs: 1 }), "lost", "renewing an unknown operation");
    },
  },
  {
    rule: "renew.ended",
    name: "renews nothing after the attempt was settled, with any outcome",
    check: async (store) => {
      const ended = await createEnded(store);
      const before = await read(store, ended.operation);
      isOutcome(
        await store.renew(ended.lease, { leaseMs: 1, progress: "1" }),
        "lost",
        "renewing a completed operation",
      );
      deepEqual(await read(store, ended.operation), before, "the completed operation");
      for (const settlement of [RETRIED, GIVEN_BACK]) {
        const { operation, lease } = await createWorking(store);
        await store.settle(lease, settlement);
        isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "lost", "renewing after the attempt");
        equal(await begins(store, operation.id), true, "beginning after it");
      }
    },
  },
  {
    rule: "renew.progress",
    name: "stores progress exactly and keeps the last value if a renewal has none",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      await store.renew(lease, { leaseMs: LONG_MS, progress: "1" });
      equal((await read(store, operation)).progress, "1", "the first progress");
      await store.renew(lease, { leaseMs: LONG_MS, progress: DIFFICULT_TEXT });
      await store.renew(lease, { leaseMs: LONG_MS });
      const { progress, state, attempt } = await read(store, operation);
      deepEqual([progress, state, attempt], [DIFFICULT_TEXT, "pending", 1], "progress, state and attempt");
    },
  },
  {
    rule: "renew.progress-alone",
    name: "stores progress without extending the lease",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, 3 * unitMs);
      await pass(2 * unitMs);
      isOutcome(await store.renew(lease, { progress: "1" }), "renewed", "writing progress");
      equal((await read(store, operation)).progress, "1", "the progress");
      equal(await begins(store, operation.id), false, "beginning before the end of the lease");
      await pass(unitMs);
      isOutcome(await store.renew(lease, { progress: "2" }), "renewed", "writing progress after the lease");
      equal((await read(store, operation)).progress, "2", "the second progress");
      equal(await begins(store, operation.id), true, "beginning at the end of the lease");
    },
  },
];
