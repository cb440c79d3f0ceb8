import { deepEqual, equal, isOutcome } from "../../../expect.js";
import {
  begin,
  begins,
  claim,
  createPending,
  createPreparing,
  idsOf,
  type OperationStoreCheck,
  PREPARED,
  read,
} from "../fixtures.js";

const MINUTE_MS = 60_000;

export const delayChecks: readonly OperationStoreCheck[] = [
  {
    rule: "delay.due",
    name: "starts a delayed operation when its delay is over, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { delayMs, ...operation } = await createPending(store, { delayMs: 5 * unitMs });
      const { createdAt: _, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "pending", attempt: 0 }, "the new operation");
      await pass(4 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins before the delay is over");
      await pass(unitMs);
      equal((await begin(store, operation.id)).operation.attempt, 1, "the attempt after the delay");
    },
  },
  {
    rule: "delay.long",
    name: "lets a claim begin an operation with a long delay when the delay is over, not earlier",
    needs: ["skipsTime"],
    check: async (store, { unitMs, pass }) => {
      const { id } = await createPending(store, { delayMs: 10 * MINUTE_MS });
      await pass(10 * MINUTE_MS - unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins before the delay is over");
      await pass(unitMs);
      deepEqual(idsOf(await claim(store)), [id], "what begins when it is over");
    },
  },
  {
    rule: "delay.cancelled",
    name: "cancels an operation immediately while it is waiting for its delay",
    check: async (store, { unitMs, pass }) => {
      const { id, tenant } = await createPending(store, { delayMs: 5 * unitMs });
      equal(await store.requestCancel(id, tenant), "cancelled", "cancelling");
      equal((await read(store, { id, tenant })).state, "failed", "the state");
      await pass(5 * unitMs);
      equal(await begins(store, id), false, "beginning it after the delay");
      deepEqual(idsOf(await claim(store)), [], "what a claim begins");
    },
  },
  {
    rule: "delay.prepared",
    name: "counts the delay of a prepared operation from its creation",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createPreparing(store, unitMs, { delayMs: 10 * unitMs });
      await pass(5 * unitMs);
      isOutcome(await store.settle(lease, PREPARED), "settled", "settling as prepared");
      equal(await begins(store, operation.id), false, "beginning it");
      await pass(4 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins before the delay is over");
      await pass(unitMs);
      const { begun } = await claim(store);
      deepEqual(
        begun.map(({ operation: { id, attempt } }) => ({ id, attempt })),
        [{ id: operation.id, attempt: 1 }],
        "what begins when it is over",
      );
    },
  },
];
