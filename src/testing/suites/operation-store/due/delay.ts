import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import {
  begin,
  createPending,
  createPreparing,
  FIRST_ANNOUNCEMENT_MS,
  LONG_MS,
  newToken,
  type OperationStoreCheck,
  PREPARED,
  read,
  tryBegin,
} from "../fixtures.js";
import { takeIds } from "./taking.js";

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
      const token = newToken();
      const begun = await store.beginAttempt(operation.id, { token, leaseMs: LONG_MS });
      const { dueInMs } = isOutcome(begun, "not-due", "beginning before the delay is over");
      ok(dueInMs > 0 && dueInMs <= unitMs, `\`dueInMs\` should be at most ${unitMs} ms, not ${dueInMs}`);
      await pass(unitMs);
      equal((await begin(store, operation.id)).operation.attempt, 1, "the attempt after the delay");
    },
  },
  {
    rule: "delay.announced",
    name: "hands out a delayed operation when its delay is over, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { id } = await createPending(store, { delayMs: 5 * unitMs });
      await pass(4 * unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the delay is over");
      await pass(unitMs);
      deepEqual(await takeIds(store), [id], "operations handed out when it is over");
    },
  },
  {
    rule: "delay.long",
    name: "hands out an operation with a long delay when the delay is over, and again 30 s later",
    needs: ["skipsTime"],
    check: async (store, { unitMs, pass }) => {
      const { id } = await createPending(store, { delayMs: 10 * MINUTE_MS });
      await pass(FIRST_ANNOUNCEMENT_MS);
      deepEqual(await takeIds(store), [], "operations handed out after 30 s");
      await pass(10 * MINUTE_MS - FIRST_ANNOUNCEMENT_MS - unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the delay is over");
      await pass(unitMs);
      deepEqual(await takeIds(store), [id], "operations handed out when it is over");
      await pass(FIRST_ANNOUNCEMENT_MS);
      deepEqual(await takeIds(store), [id], "operations handed out 30 s later");
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
      equal(await tryBegin(store, id), "terminal", "beginning it after the delay");
      deepEqual(await takeIds(store), [], "operations handed out");
    },
  },
  {
    rule: "delay.prepared",
    name: "counts the delay of a prepared operation from its creation",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createPreparing(store, unitMs, { delayMs: 10 * unitMs });
      await pass(5 * unitMs);
      isOutcome(await store.settle(lease, PREPARED), "settled", "settling as prepared");
      equal(await tryBegin(store, operation.id), "not-due", "beginning it");
      await pass(4 * unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the delay is over");
      await pass(unitMs);
      deepEqual(await takeIds(store), [operation.id], "operations handed out when it is over");
      equal((await begin(store, operation.id)).operation.attempt, 1, "the attempt");
    },
  },
];
