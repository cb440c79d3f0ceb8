import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { DIFFICULT_TEXT } from "../create/create.js";
import {
  begin,
  begins,
  COMPLETED,
  claim,
  createPending,
  createWorking,
  ERROR,
  GIVEN_BACK,
  LONG_MS,
  newToken,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "../fixtures.js";

export const retryChecks: readonly OperationStoreCheck[] = [
  {
    rule: "retry.pending",
    name: "keeps a retried operation pending, with its progress, and due after its delay",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await store.renew(lease, { leaseMs: LONG_MS, progress: "1" });
      const settled = await store.settle(lease, { to: "retry", delayMs: 5 * unitMs, countAttempt: true });
      equal(isOutcome(settled, "settled", "settling as retry").state, "pending", "the returned state");
      const { createdAt: _, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "pending", attempt: 1, progress: "1" }, "the operation");
      await pass(4 * unitMs);
      equal(await begins(store, operation.id), false, "beginning before the delay is over");
      await pass(unitMs);
      equal((await begin(store, operation.id)).operation.attempt, 2, "the attempt after the delay");
    },
  },
  {
    rule: "retry.at-once",
    name: "makes a retry due immediately if its delay is 0",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, RETRIED);
      equal((await begin(store, operation.id)).operation.attempt, 2, "the attempt");
    },
  },
  {
    rule: "retry.frees",
    name: "ends the lease of a retried attempt, however long it was",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, LONG_MS);
      await store.settle(lease, { to: "retry", delayMs: unitMs, countAttempt: true });
      await pass(unitMs);
      equal(await begins(store, operation.id), true, "beginning after the delay");
    },
  },
  {
    rule: "retry.given-back",
    name: "leaves no trace of a released attempt",
    check: async (store) => {
      const operation = await createPending(store);
      const before = await read(store, operation);
      const { lease } = await begin(store, operation.id);
      const settled = await store.settle(lease, GIVEN_BACK);
      equal(isOutcome(settled, "settled", "releasing the attempt").state, "pending", "the returned state");
      deepEqual(await read(store, operation), before, "the operation as it was before the attempt");
      const begun = await begin(store, operation.id);
      deepEqual([begun.operation.attempt, begun.previousLost], [1, false], "attempt and `previousLost`");
    },
  },
  {
    rule: "retry.given-back-later",
    name: "makes an operation due after the delay with which its attempt was released",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { to: "retry", delayMs: 5 * unitMs, countAttempt: false });
      equal(await begins(store, operation.id), false, "beginning immediately");
      await pass(5 * unitMs);
      equal((await begin(store, operation.id)).operation.attempt, 1, "the attempt after the delay");
    },
  },
  {
    rule: "retry.fences",
    name: "invalidates the token of a retried attempt even before another attempt starts",
    check: async (store) => {
      for (const settlement of [RETRIED, GIVEN_BACK]) {
        const { operation, lease } = await createWorking(store);
        await store.settle(lease, settlement);
        const before = await read(store, operation);
        isOutcome(await store.settle(lease, COMPLETED), "lost", "completing after the attempt was settled");
        isOutcome(await store.settle(lease, settlement), "lost", "settling it once more");
        deepEqual(await read(store, operation), before, "the operation");
      }
    },
  },
  {
    rule: "retry.last-error",
    name: "keeps the reason for the retry of the latest attempt until there is a new one",
    check: async (store) => {
      const { operation, lease: first } = await createWorking(store);
      const shows = async (lastError: string, what: string): Promise<void> => {
        const begun = await begin(store, operation.id);
        equal(begun.operation.lastError, lastError, `the reason ${what}, begun`);
        equal((await read(store, operation)).lastError, lastError, `the reason ${what}, read`);
        lease = begun.lease;
      };
      let lease = first;
      await store.settle(lease, { ...RETRIED, lastError: ERROR });
      await shows(ERROR, "after the first attempt");
      await store.settle(lease, { ...RETRIED, lastError: DIFFICULT_TEXT });
      await shows(DIFFICULT_TEXT, "after the second attempt");
      await store.settle(lease, GIVEN_BACK);
      await shows(DIFFICULT_TEXT, "after a retry without a reason");
      await store.settle(lease, { ...GIVEN_BACK, lastError: ERROR });
      await shows(ERROR, "after an attempt that was released with a reason");
      await store.settle(lease, COMPLETED);
      equal((await read(store, operation)).lastError, ERROR, "the reason after the end");
    },
  },
  {
    rule: "retry.not-due-keeps",
    name: "does not postpone a retry when callers ask too early",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { to: "retry", delayMs: 5 * unitMs, countAttempt: true });
      const token = newToken();
      await claim(store, { operationId: operation.id, token });
      isOutcome(
        await store.settle({ operationId: operation.id, token }, COMPLETED),
        "lost",
        "settling too early",
      );
      await pass(5 * unitMs);
      equal((await begin(store, operation.id)).operation.attempt, 2, "the attempt after the delay");
    },
  },
];
