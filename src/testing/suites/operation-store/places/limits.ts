import type { RunningLimits } from "../../../../ports/claim.js";
import type { Lease, OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  begins,
  COMPLETED,
  claim,
  createPending,
  createPreparing,
  FAILED,
  GIVEN_BACK,
  LONG_MS,
  type OperationStoreCheck,
  RETRIED,
} from "../fixtures.js";

const ONE: RunningLimits = { running: 1 };
const ONE_EACH: RunningLimits = { runningPerTenant: 1 };
const NEEDS = ["limits"] as const;

export const limitChecks: readonly OperationStoreCheck[] = [
  {
    rule: "limits.definition",
    name: "counts only operations of the same definition",
    needs: NEEDS,
    check: async (store) => {
      const other = await createPending(store, { tenant: "a", definition: "reports" });
      await begin(store, other.id, { name: "reports" });
      await createAndBegin(store, "a", { running: 1, runningPerTenant: 1 });
    },
  },
  {
    rule: "limits.freed",
    name: "frees the place of an attempt when it completes, fails, retries or is released",
    needs: NEEDS,
    check: async (store) => {
      for (const settlement of [COMPLETED, FAILED, { ...RETRIED, delayMs: LONG_MS }, GIVEN_BACK]) {
        const lease = await createAndBegin(store, "a", ONE);
        const next = await createPending(store, { tenant: "a" });
        await refuses(store, next.id, ONE);
        isOutcome(await store.settle(lease, settlement), "settled", `settling with ${settlement.to}`);
        const begun = await begin(store, next.id, { limits: ONE });
        isOutcome(await store.settle(begun.lease, COMPLETED), "settled", "settling");
      }
    },
  },
  {
    rule: "limits.cancelled",
    name: "counts a running operation whose cancellation is requested until it ends",
    needs: NEEDS,
    check: async (store) => {
      const lease = await createAndBegin(store, "a", ONE);
      equal(await store.requestCancel(lease.operationId, "a"), "requested", "cancelling");
      const next = await createPending(store, { tenant: "a" });
      await refuses(store, next.id, ONE);
      const settled = isOutcome(await store.settle(lease, GIVEN_BACK), "settled", "releasing");
      equal(settled.state, "failed", "the state after the cancellation");
      await begin(store, next.id, { limits: ONE });
    },
  },
  {
    rule: "limits.expired",
    name: "gives the place of an expired lease to another operation, and its holder then loses the lease",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      for (const limits of [ONE, ONE_EACH]) {
        const lost = await createAndBegin(store, "a", limits, 2 * unitMs);
        const next = await createPending(store, { tenant: "a" });
        await refuses(store, next.id, limits);
        await pass(3 * unitMs);
        const begun = await begin(store, next.id, { limits });
        deepEqual(await store.renew(lost, { leaseMs: LONG_MS }), { outcome: "lost" }, "a late renewal");
        deepEqual(await store.settle(lost, COMPLETED), { outcome: "lost" }, "a late settlement");
        await refuses(store, lost.operationId, limits);
        await store.settle(begun.lease, COMPLETED);
        const again = await begin(store, lost.operationId, { limits });
        deepEqual([again.operation.attempt, again.previousLost], [2, true], "the attempt after a lost one");
        await store.settle(again.lease, COMPLETED);
      }
    },
  },
  {
    rule: "limits.late",
    name: "lets late work count as long as no other operation needs the place",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const limits = { running: 2 };
      const late = await createAndBegin(store, "a", limits, unitMs);
      await pass(2 * unitMs);
      isOutcome(await store.renew(late, { leaseMs: LONG_MS }), "renewed", "a late renewal");
      const next = await createAndBegin(store, "a", limits);
      isOutcome(await store.settle(late, COMPLETED), "settled", "a late settlement");
      isOutcome(await store.settle(next, COMPLETED), "settled", "the settlement of another operation");
    },
  },
  {
    rule: "limits.takeover",
    name: "lets an operation that has lost its lease begin again in its own place",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const { operationId } = await createAndBegin(store, "a", ONE, unitMs);
      await pass(2 * unitMs);
      equal((await begin(store, operationId, { limits: ONE })).previousLost, true, "`previousLost`");
    },
  },
  {
    rule: "limits.preparing",
    name: "does not count operations that are preparing, and lets them begin without a place",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createPreparing(store, unitMs, { tenant: "a" });
      await createAndBegin(store, "a", ONE);
      await pass(2 * unitMs);
      equal(await begins(store, operation.id, { limits: ONE }), true, "finishing a creation");
    },
  },
  {
    rule: "limits.race",
    name: "keeps the limits when many calls begin at once",
    needs: NEEDS,
    check: async (store) => {
      const limits = { running: 5, runningPerTenant: 2 };
      const operations = await concurrently(16, (index) =>
        createPending(store, { tenant: ["a", "b", "c", "d"][index % 4] ?? "" }),
      );
      const claims = operations.map(({ id: operationId }) => claim(store, { operationId, limits }));
      const results = await Promise.all(claims);
      const begun = results.flatMap((result) => result.begun.map(({ operation }) => operation.tenant));
      equal(begun.length, 5, "number of operations that began");
      const most = Math.max(...begun.map((tenant) => begun.filter((each) => each === tenant).length));
      equal(most, 2, "largest number of operations of one tenant that began");
    },
  },
];

async function refuses(store: OperationStore, operationId: string, limits: RunningLimits): Promise<void> {
  const { begun, blocked } = await claim(store, { operationId, limits });
  deepEqual([begun, blocked], [[], true], "what begins while all places are taken, and `blocked`");
}

async function createAndBegin(
  store: OperationStore,
  tenant: string,
  limits: RunningLimits,
  leaseMs: number = LONG_MS,
): Promise<Lease> {
  const { id } = await createPending(store, { tenant });
  return (await begin(store, id, { limits, leaseMs })).lease;
}
