import { deepEqual, equal, isOutcome, ok } from "../../expect.js";
import { concurrently } from "../port-case.js";
import {
  begin,
  createEnded,
  createPending,
  createWorking,
  FAILED,
  GIVEN_BACK,
  knock,
  LONG_MS,
  newId,
  newToken,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "./fixtures.js";

export const attemptChecks: readonly OperationStoreCheck[] = [
  {
    rule: "begin.first",
    name: "begins the first attempt of an operation as soon as it is created",
    check: async (store) => {
      const created = await createPending(store, { key: "key-1" });
      const { operation, previousLost } = await begin(store, created.id);
      const { createdAt, ...rest } = operation;
      deepEqual(rest, { ...created, state: "pending", attempt: 1 }, "what the worker gets");
      equal(previousLost, false, "`previousLost`");
      deepEqual(await read(store, created), { ...rest, createdAt }, "what can be read");
    },
  },
  {
    rule: "begin.race",
    name: "lets one of 50 concurrent callers begin; the others are told that it is busy",
    check: async (store) => {
      const { id } = await createPending(store);
      const outcomes = await concurrently(50, () => knock(store, id));
      equal(outcomes.filter((outcome) => outcome === "begun").length, 1, "how many have begun");
      equal(outcomes.filter((outcome) => outcome === "busy").length, 49, "how many were told `busy`");
    },
  },
  {
    rule: "begin.repeated",
    name: "answers the same attempt to the same token, however often and at once",
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
    name: "answers the same attempt to the same token after its lease, if nobody has taken over",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, unitMs);
      await pass(2 * unitMs);
      const again = await store.beginAttempt(operation.id, { token: lease.token, leaseMs: LONG_MS });
      const begun = isOutcome(again, "begun", "beginning with the same token");
      deepEqual([begun.operation.attempt, begun.previousLost], [1, false], "attempt and `previousLost`");
      equal(await knock(store, operation.id), "busy", "beginning with another token");
    },
  },
  {
    rule: "begin.unknown",
    name: "begins nothing for an id that nobody created",
    check: async (store) => {
      equal(await knock(store, newId()), "unknown", "beginning an unknown operation");
    },
  },
  {
    rule: "begin.terminal",
    name: "begins nothing that has ended, not even with the token that ended it",
    check: async (store) => {
      for (const settlement of [undefined, FAILED]) {
        const { operation, lease } = await createEnded(store, {}, settlement);
        const before = await read(store, operation);
        equal(await knock(store, operation.id), "terminal", "beginning with a new token");
        const again = await store.beginAttempt(operation.id, { token: lease.token, leaseMs: LONG_MS });
        isOutcome(again, "terminal", "beginning with the old token");
        deepEqual(await read(store, operation), before, "the operation");
      }
    },
  },
  {
    rule: "begin.not-due",
    name: "says how long a retry has to wait, and begins it when that is over, not sooner",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { to: "retry", delayMs: 10 * unitMs, countAttempt: true });
      await pass(4 * unitMs);
      const early = await store.beginAttempt(operation.id, { token: newToken(), leaseMs: LONG_MS });
      const { dueInMs } = isOutcome(early, "not-due", "beginning before the delay is over");
      ok(
        dueInMs > 5 * unitMs && dueInMs <= 6 * unitMs,
        `dueInMs is what is left of the delay, not ${dueInMs}`,
      );
      await pass(5 * unitMs);
      equal(await knock(store, operation.id), "not-due", "beginning just before the delay is over");
      await pass(unitMs);
      equal(await knock(store, operation.id), "begun", "beginning when the delay is over");
    },
  },
  {
    rule: "begin.numbers",
    name: "numbers attempts from 1, and does not count those that were given back",
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
