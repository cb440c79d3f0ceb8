import type { RunningLimits } from "../../../../ports/claim.js";
import type { BeginResult, Lease, OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  COMPLETED,
  createPending,
  createPreparing,
  FAILED,
  GIVEN_BACK,
  LONG_MS,
  newToken,
  type OperationStoreCheck,
  RETRIED,
} from "../fixtures.js";

const ONE: RunningLimits = { running: 1 };
const ONE_EACH: RunningLimits = { runningPerTenant: 1 };
const NEEDS = ["limits"] as const;

export const limitChecks: readonly OperationStoreCheck[] = [
  {
    rule: "limits.running",
    name: "begins as many operations of a definition as `running` allows, of all tenants together",
    needs: NEEDS,
    check: async (store) => {
      const limits = { running: 2 };
      const first = await createAndBegin(store, "a", limits);
      await createAndBegin(store, "b", limits);
      const third = await createPending(store, { tenant: "c" });
      for (let call = 0; call < 3; call += 1) await refuses(store, third.id, limits);
      isOutcome(await store.settle(first, COMPLETED), "settled", "settling an operation");
      equal((await beginsWithin(store, third.id, limits)).attempt, 1, "the attempt after three refusals");
    },
  },
  {
    rule: "limits.tenant",
    name: "begins as many operations of each tenant as `runningPerTenant` allows",
    needs: NEEDS,
    check: async (store) => {
      await createAndBegin(store, "a", ONE_EACH);
      const second = await createPending(store, { tenant: "a" });
      await refuses(store, second.id, ONE_EACH);
      await createAndBegin(store, "b", ONE_EACH);
      await refuses(store, second.id, ONE_EACH);
    },
  },
  {
    rule: "limits.definition",
    name: "counts only operations of the same definition",
    needs: NEEDS,
    check: async (store) => {
      const other = await createPending(store, { tenant: "a", definition: "reports" });
      await begin(store, other.id);
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
        const { token } = await beginsWithin(store, next.id, ONE);
        isOutcome(await store.settle({ operationId: next.id, token }, COMPLETED), "settled", "settling");
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
      await beginsWithin(store, next.id, ONE);
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
        const { token } = await beginsWithin(store, next.id, limits);
        deepEqual(await store.renew(lost, { leaseMs: LONG_MS }), { outcome: "lost" }, "a late renewal");
        deepEqual(await store.settle(lost, COMPLETED), { outcome: "lost" }, "a late settlement");
        await refuses(store, lost.operationId, limits);
        await store.settle({ operationId: next.id, token }, COMPLETED);
        const again = await beginsWithin(store, lost.operationId, limits);
        deepEqual([again.attempt, again.previousLost], [2, true], "the attempt after a lost one");
        await store.settle({ operationId: lost.operationId, token: again.token }, COMPLETED);
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
      equal((await beginsWithin(store, operationId, ONE)).previousLost, true, "`previousLost`");
    },
  },
  {
    rule: "limits.repeated",
    name: "answers a repeated call as before, although all places are taken",
    needs: NEEDS,
    check: async (store) => {
      const { operationId, token } = await createAndBegin(store, "a", ONE);
      const request = { token, leaseMs: LONG_MS, limits: ONE };
      isOutcome(await store.beginAttempt(operationId, request), "begun", "repeating a call at the limit");
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
      const request = { token: newToken(), leaseMs: LONG_MS, limits: ONE };
      isOutcome(await store.beginAttempt(operation.id, request), "begun", "finishing a creation");
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
      const results = await Promise.all(operations.map(({ id }) => tryWithin(store, id, limits)));
      const begun = results.flatMap((result) =>
        result.outcome === "begun" ? [result.operation.tenant] : [],
      );
      equal(begun.length, 5, "number of operations that began");
      const most = Math.max(...begun.map((tenant) => begun.filter((each) => each === tenant).length));
      equal(most, 2, "largest number of operations of one tenant that began");
    },
  },
];

function tryWithin(
  store: OperationStore,
  id: string,
  limits: RunningLimits,
  leaseMs: number = LONG_MS,
  token: string = newToken(),
): Promise<BeginResult> {
  return store.beginAttempt(id, { token, leaseMs, limits });
}

async function refuses(store: OperationStore, id: string, limits: RunningLimits): Promise<void> {
  deepEqual(await tryWithin(store, id, limits), { outcome: "full" }, "beginning while all places are taken");
}

async function beginsWithin(
  store: OperationStore,
  id: string,
  limits: RunningLimits,
): Promise<{ readonly token: string; readonly attempt: number; readonly previousLost: boolean }> {
  const token = newToken();
  const result = await tryWithin(store, id, limits, LONG_MS, token);
  const { operation, previousLost } = isOutcome(result, "begun", "beginning while a place is free");
  return { token, attempt: operation.attempt, previousLost };
}

async function createAndBegin(
  store: OperationStore,
  tenant: string,
  limits: RunningLimits,
  leaseMs: number = LONG_MS,
): Promise<Lease> {
  const { id } = await createPending(store, { tenant });
  const token = newToken();
  isOutcome(await tryWithin(store, id, limits, leaseMs, token), "begun", "beginning while a place is free");
  return { operationId: id, token };
}
