import { deepEqual, equal } from "../../../expect.js";
import { newFollowUp } from "../attempt/on-end.js";
import {
  begins,
  claim,
  createPending,
  createWorking,
  idsOf,
  newOperation,
  type OperationStoreCheck,
  read,
} from "../fixtures.js";
import { about, endOverdue, sorted } from "./deadline.js";

const NEEDS = ["deadlines"] as const;

/** An operation that expires ends like every other, also if it has no place or is paused. */
export const deadlineEndChecks: readonly OperationStoreCheck[] = [
  {
    rule: "deadline.on-end",
    name: "creates the follow-up of an operation that expires",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const onEnd = newFollowUp();
      await createPending(store, { startWithinMs: unitMs, onEnd });
      await pass(unitMs);
      equal((await endOverdue(store)).length, 1, "number of operations that ended");
      const claimed = await claim(store, { name: "notices" });
      deepEqual(idsOf(claimed), [onEnd.id], "follow-ups that begin");
    },
  },
  {
    rule: "deadline.ended",
    name: "does not expire an operation that has ended, and cancels none that has expired",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const cancelled = await createPending(store, { startWithinMs: unitMs });
      equal(await store.requestCancel(cancelled.id, cancelled.tenant), "cancelled", "cancelling");
      const before = await read(store, cancelled);
      const failed = newOperation({ startWithinMs: unitMs });
      await store.create(failed, { state: "failed", error: "{}" });
      const overdue = await createPending(store, { startWithinMs: unitMs });
      await pass(unitMs);
      deepEqual(await endOverdue(store), [await about(store, overdue)], "operations that ended");
      deepEqual(await read(store, cancelled), before, "the cancelled operation");
      equal(await store.requestCancel(overdue.id, overdue.tenant), "terminal", "cancelling an expired one");
    },
  },
  {
    rule: "deadline.paused",
    name: "ends an overdue operation although its definition is paused",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const overdue = await createPending(store, { startWithinMs: unitMs });
      await store.pause("orders");
      await pass(unitMs);
      deepEqual(await endOverdue(store), [await about(store, overdue)], "operations that ended");
    },
  },
  {
    rule: "deadline.full",
    name: "ends an overdue operation although it has no place",
    needs: [...NEEDS, "limits"],
    check: async (store, { unitMs, pass }) => {
      const limits = { running: 1 };
      await createWorking(store);
      const overdue = await createPending(store, { startWithinMs: unitMs });
      equal(await begins(store, overdue.id, { limits }), false, "beginning it without a place");
      await pass(unitMs);
      deepEqual(await endOverdue(store), [await about(store, overdue)], "operations that ended");
    },
  },
  {
    rule: "deadline.lane",
    name: "ends overdue operations of a lane, also those that wait for their turn, and lets the next one begin",
    needs: [...NEEDS, "lanes"],
    check: async (store, { unitMs, pass }) => {
      const members = { lane: "a", startWithinMs: 2 * unitMs };
      const first = await createPending(store, members);
      await pass(unitMs);
      const second = await createPending(store, { ...members, startWithinMs: unitMs });
      await pass(unitMs);
      const third = await createPending(store, { lane: "a" });
      equal(await begins(store, third.id), false, "beginning it before its turn");
      deepEqual(
        sorted(await endOverdue(store)),
        sorted(await Promise.all([first, second].map((each) => about(store, each)))),
        "operations that ended",
      );
      equal(await begins(store, third.id), true, "beginning it when it has its turn");
    },
  },
  {
    rule: "deadline.redrive",
    name: "gives the successor of an expired operation a deadline of the same length, counted anew",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const operation = await createPending(store, { startWithinMs: 3 * unitMs });
      await pass(3 * unitMs);
      await endOverdue(store);
      const successor = { ...operation, id: newOperation().id };
      await store.redrive(operation.id, { id: successor.id, onEndId: newOperation().id });
      equal((await read(store, successor)).startWithinMs, 3 * unitMs, "`startWithinMs` of the successor");
      await pass(2 * unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended before the new deadline");
      await pass(unitMs);
      deepEqual(await endOverdue(store), [await about(store, successor)], "operations that ended after it");
    },
  },
  {
    rule: "deadline.watch",
    name: "notifies a watcher of operations that expire",
    needs: [...NEEDS, "watch"],
    check: async (store, { unitMs, pass }) => {
      const members = { startWithinMs: unitMs };
      const [one, other] = [await createPending(store, members), await createPending(store, members)];
      await pass(unitMs);
      const seen = new Set<string>();
      const stop = store.watch?.((id) => void (id !== undefined && seen.add(id)));
      await endOverdue(store);
      for (let waited = 0; waited < 10 && seen.size < 2; waited += 1) await pass(unitMs);
      stop?.();
      deepEqual([...seen].sort(), [one.id, other.id].sort(), "operations that the watcher was notified of");
    },
  },
];
