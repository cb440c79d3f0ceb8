import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  createEnded,
  createPending,
  createWorking,
  FAILED,
  GIVEN_BACK,
  LONG_MS,
  newId,
  newToken,
  type OperationStoreCheck,
  RETRIED,
  read,
  tryBegin,
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
    rule: "begin.race",
    name: "starts one attempt for 50 concurrent callers and returns `busy` to the others",
    check: async (store) => {
      const { id } = await createPending(store);
      const outcomes = await concurrently(50, () => tryBegin(store, id));
      equal(outcomes.filter((outcome) => outcome === "begun").length, 1, "number of attempts started");
      equal(outcomes.filter((outcome) => outcome === "busy").length, 49, "number of callers that got `busy`");
    },
  },
  {
    rule: "begin.repeated",
    name: "returns the same attempt to the same token, repeatedly and concurrently",
    check: async (store) => {
      const { id } = await createPending(store);
      const token = newToken();
      const results = await concurrently(50, () => store.beginAttempt(id, { token, leaseMs: LONG_MS }));
      for (const result of results) {
        const { operation, previousLost } = isOutcome(result, "begun", "beginning with the same token");
        deepEqual([operation.attempt, previousLost], [1, false], "attempt and `previousLost`");
      }
      const later = await store.beginAttempt(id, { token, leaseMs: LONG_MS });
      const { operation } = isOutcome(later, "begun", "beginning with the same token later");
      equal(operation.attempt, 1, "the attempt later");
    },
  },
  {
    rule: "begin.repeated-late",
    name: "returns the same attempt to the same token after its lease expired, unless another worker took over",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, unitMs);
      await pass(2 * unitMs);
      const again = await store.beginAttempt(operation.id, { token: lease.token, leaseMs: LONG_MS });
      const begun = isOutcome(again, "begun", "beginning with the same token");
      deepEqual([begun.operation.attempt, begun.previousLost], [1, false], "attempt and `previousLost`");
      equal(await tryBegin(store, operation.id), "busy", "beginning with another token");
    },
  },
  {
    rule: "begin.unknown",
    name: "starts nothing for an unknown id",
    check: async (store) => {
      equal(await tryBegin(store, newId()), "unknown", "beginning an unknown operation");
    },
  },
  {
    rule: "begin.terminal",
    name: "starts nothing for an ended operation, not even for the token that ended it",
    check: async (store) => {
      for (const settlement of [undefined, FAILED]) {
        const { operation, lease } = await createEnded(store, {}, settlement);
        const before = await read(store, operation);
        equal(await tryBegin(store, operation.id), "terminal", "beginning with a new token");
        const again = await store.beginAttempt(operation.id, { token: lease.token, leaseMs: LONG_MS });
        isOutcome(again, "terminal", "beginning with the old token");
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
      const early = await store.beginAttempt(operation.id, { token: newToken(), leaseMs: LONG_MS });
      const { dueInMs } = isOutcome(early, "not-due", "beginning before the delay is over");
      ok(
        dueInMs > 5 * unitMs && dueInMs <= 6 * unitMs,
        `\`dueInMs\` should be the rest of the delay, not ${dueInMs}`,
      );
      await pass(5 * unitMs);
      equal(await tryBegin(store, operation.id), "not-due", "beginning just before the delay is over");
      await pass(unitMs);
      equal(await tryBegin(store, operation.id), "begun", "beginning when the delay is over");
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
