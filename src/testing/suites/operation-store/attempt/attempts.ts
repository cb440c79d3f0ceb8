import { deepEqual, equal, ok } from "../../../expect.js";
import {
  begin,
  begins,
  claim,
  createEnded,
  createPending,
  createWorking,
  FAILED,
  GIVEN_BACK,
  idsOf,
  newId,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "../fixtures.js";

export const attemptChecks: readonly OperationStoreCheck[] = [
  {
    rule: "begin.first",
    name: "starts the first attempt of an operation as soon as it exists",
    check: async (store) => {
      const created = await createPending(store, { key: "key-1" });
      const { operation, previousLost } = await begin(store, created.id);
      const { createdAt, ...rest } = operation;
      deepEqual(rest, { ...created, state: "pending", attempt: 1 }, "the work that the worker receives");
      equal(previousLost, false, "`previousLost`");
      deepEqual(await read(store, created), { ...rest, createdAt }, "the operation that readers see");
    },
  },
  {
    rule: "begin.unknown",
    name: "starts nothing for an unknown id, or for an operation of another definition",
    check: async (store) => {
      const { id } = await createPending(store);
      equal(await begins(store, newId()), false, "beginning an unknown operation");
      equal(await begins(store, id, { name: "reports" }), false, "beginning it as one of another definition");
    },
  },
  {
    rule: "begin.only",
    name: "starts only the operation that a claim names, and says nothing about others",
    check: async (store, { unitMs }) => {
      const due = await createPending(store);
      await createPending(store, { delayMs: unitMs });
      const { operation } = await createWorking(store);
      const { begun, blocked, nextInMs } = await claim(store, { operationId: operation.id });
      deepEqual(begun, [], "what begins instead of an operation that another worker is running");
      deepEqual([blocked, nextInMs], [false, undefined], "`blocked` and `nextInMs`");
      deepEqual(idsOf(await claim(store, { operationId: due.id })), [due.id], "what begins");
    },
  },
  {
    rule: "begin.terminal",
    name: "starts nothing for an ended operation",
    check: async (store) => {
      for (const settlement of [undefined, FAILED]) {
        const { operation } = await createEnded(store, {}, settlement);
        const before = await read(store, operation);
        const { begun, blocked, nextInMs } = await claim(store, { operationId: operation.id });
        deepEqual([begun, blocked, nextInMs], [[], false, undefined], "what a claim says");
        deepEqual(await read(store, operation), before, "the operation");
      }
    },
  },
  {
    rule: "begin.not-due",
    name: "reports the remaining delay of a retry and starts it when the delay is over, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { to: "retry", delayMs: 10 * unitMs, countAttempt: true });
      await pass(4 * unitMs);
      const { begun, blocked, nextInMs = 0 } = await claim(store, { operationId: operation.id });
      deepEqual([begun, blocked], [[], false], "what begins before the delay is over, and `blocked`");
      ok(
        nextInMs > 5 * unitMs && nextInMs <= 6 * unitMs,
        `\`nextInMs\` should be the rest of the delay, not ${nextInMs}`,
      );
      await pass(5 * unitMs);
      equal(await begins(store, operation.id), false, "beginning just before the delay is over");
      await pass(unitMs);
      equal(await begins(store, operation.id), true, "beginning when the delay is over");
    },
  },
  {
    rule: "begin.numbers",
    name: "numbers attempts from 1 and does not count released attempts",
    check: async (store) => {
      const { id } = await createPending(store);
      const numbers: number[] = [];
      for (const settlement of [RETRIED, GIVEN_BACK, GIVEN_BACK, RETRIED, GIVEN_BACK]) {
        const { operation, lease } = await begin(store, id);
        numbers.push(operation.attempt);
        await store.settle(lease, settlement);
      }
      deepEqual(numbers, [1, 2, 2, 2, 3], "the attempt numbers");
      equal((await begin(store, id)).operation.attempt, 3, "the last attempt number");
    },
  },
];
