import type { NewOperation } from "../../../../contract/operation.js";
import { MAX_DURATION_MS } from "../../../../contract/option-values.js";
import { EXPIRED } from "../../../../contract/problem.js";
import type { Lease, OperationStore, OverdueOperation } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import { newFollowUp } from "../attempt/on-end.js";
import {
  begin,
  begins,
  claim,
  createPending,
  createPreparing,
  createWorking,
  GIVEN_BACK,
  LONG_MS,
  type OperationStoreCheck,
  PREPARED,
  RETRIED,
  read,
  UNSTARTED,
} from "../fixtures.js";

const NEEDS = ["deadlines"] as const;

/** An operation starts by its deadline or fails as `expired`, never both. */
export const deadlineChecks: readonly OperationStoreCheck[] = [
  {
    rule: "deadline.kept",
    name: "stores the deadline of an operation, which begins until then",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const operation = await createPending(store, { startWithinMs: 5 * unitMs });
      equal((await read(store, operation)).startWithinMs, 5 * unitMs, "`startWithinMs`, read");
      await pass(3 * unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended before their deadline");
      const begun = await begin(store, operation.id);
      equal(begun.operation.startWithinMs, 5 * unitMs, "`startWithinMs`, begun");
    },
  },
  {
    rule: "deadline.late",
    name: "does not begin an operation after its deadline, but ends it",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const operation = await createPending(store, { startWithinMs: unitMs, principal: "ann" });
      const other = await createPending(store);
      await pass(unitMs);
      const { begun, blocked, nextInMs } = await claim(store, { operationId: operation.id });
      deepEqual([begun, blocked, nextInMs], [[], false, undefined], "what a claim says");
      deepEqual(await endOverdue(store), [await about(store, operation)], "operations that ended");
      const { createdAt, settledAt = 0, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "failed", attempt: 0, error: EXPIRED }, "the operation");
      ok(settledAt >= createdAt + unitMs, "`settledAt` is not before the deadline");
      deepEqual(await endOverdue(store), [], "operations that ended later");
      equal(await begins(store, other.id), true, "beginning one without a deadline");
    },
  },
  {
    rule: "deadline.swept",
    name: "ends overdue operations of all definitions, each for one caller, and returns them",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const overdue = await Promise.all([
        createPending(store, { startWithinMs: unitMs }),
        createPending(store, { startWithinMs: unitMs, definition: "reports", principal: "ann" }),
        createPending(store, { startWithinMs: unitMs, tenant: "tenant-2" }),
      ]);
      const early = await createPending(store, { startWithinMs: LONG_MS });
      const other = await createPending(store);
      await pass(unitMs);
      const ended = (await concurrently(5, () => endOverdue(store))).flat();
      deepEqual(
        sorted(ended),
        sorted(await Promise.all(overdue.map((each) => about(store, each)))),
        "operations that ended",
      );
      for (const operation of overdue) {
        const { state, error, attempt } = await read(store, operation);
        deepEqual([state, error, attempt], ["failed", EXPIRED, 0], "an overdue operation");
        equal(await begins(store, operation.id, { name: operation.definition }), false, "beginning it");
      }
      for (const { id } of [early, other]) equal(await begins(store, id), true, "beginning the others");
    },
  },
  {
    rule: "deadline.limit",
    name: "ends at most as many overdue operations as the caller asks for, and the others later",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      for (let index = 0; index < 3; index += 1) await createPending(store, { startWithinMs: unitMs });
      await pass(unitMs);
      equal((await endOverdue(store, 2)).length, 2, "number of operations in the first call");
      equal((await endOverdue(store, 2)).length, 1, "number of operations in the second call");
    },
  },
  {
    rule: "deadline.begun",
    name: "never ends an operation that has started: not while it runs, after a lost lease, or while it waits again",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const members = { startWithinMs: 3 * unitMs };
      const running = await createWorking(store, LONG_MS, members);
      const lost = await createWorking(store, unitMs, members);
      const waiting = [RETRIED, GIVEN_BACK].map(async (settlement) => {
        const { operation, lease } = await createWorking(store, LONG_MS, members);
        isOutcome(await store.settle(lease, settlement), "settled", "settling as retry");
        return operation.id;
      });
      const due = [lost.operation.id, ...(await Promise.all(waiting))];
      await pass(4 * unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended");
      for (const id of due) equal(await begins(store, id), true, "beginning it again after the deadline");
      isOutcome(await store.renew(running.lease, { leaseMs: LONG_MS }), "renewed", "renewing an attempt");
    },
  },
  {
    rule: "deadline.unstarted",
    name: "keeps the deadline of an operation that is released before its processor has started, unless a lease was lost",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const members = { startWithinMs: 3 * unitMs };
      const release = async (lease: Lease): Promise<void> =>
        void isOutcome(await store.settle(lease, UNSTARTED), "settled", "settling as not started");
      const lost = await createWorking(store, unitMs, members);
      const [again, late, swept, held] = [
        await createWorking(store, LONG_MS, members),
        await createWorking(store, LONG_MS, members),
        await createWorking(store, LONG_MS, members),
        await createWorking(store, LONG_MS, members),
      ];
      for (const { lease } of [again, late, swept]) await release(lease);
      equal(await begins(store, again.operation.id), true, "beginning it again before the deadline");
      await pass(4 * unitMs);
      await release((await begin(store, lost.operation.id)).lease);
      equal(await begins(store, late.operation.id), false, "beginning it after the deadline");
      deepEqual(
        sorted(await endOverdue(store)),
        sorted(await Promise.all([late, swept].map((each) => about(store, each.operation)))),
        "operations that ended",
      );
      await release(held.lease);
      deepEqual(
        await endOverdue(store),
        [await about(store, held.operation)],
        "operations that ended after their release",
      );
      const { attempt, error } = await read(store, held.operation);
      deepEqual([attempt, error], [0, EXPIRED], "the operation");
      equal(await begins(store, lost.operation.id), true, "beginning the one that lost its lease");
    },
  },
  {
    rule: "deadline.race",
    name: "lets one of concurrent calls end an overdue operation, and begins it for none",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const onEnd = newFollowUp();
      const operation = await createPending(store, { startWithinMs: unitMs, onEnd });
      await pass(unitMs);
      const outcomes = await concurrently(20, async (index) =>
        index % 2 === 0 ? begins(store, operation.id) : (await endOverdue(store)).length,
      );
      const count = (outcome: unknown): number => outcomes.filter((each) => each === outcome).length;
      equal(count(1), 1, "number of calls that ended it");
      equal(count(true), 0, "number of calls that began it");
    },
  },
  {
    rule: "deadline.delayed",
    name: "counts the time from the end of the delay",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const members = { delayMs: 3 * unitMs, startWithinMs: 3 * unitMs };
      const [early, late] = [await createPending(store, members), await createPending(store, members)];
      await pass(4 * unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended before their deadline");
      equal(await begins(store, early.id), true, "beginning it after its delay");
      await pass(2 * unitMs);
      deepEqual(await endOverdue(store), [await about(store, late)], "operations that ended after it");
    },
  },
  {
    rule: "deadline.prepared",
    name: "counts the time of an operation that was preparing from when it is pending and its delay is over",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const members = { startWithinMs: 3 * unitMs };
      const { operation: slow } = await createPreparing(store, unitMs, members);
      const plain = await createPreparing(store, LONG_MS, members);
      const delayed = await createPreparing(store, LONG_MS, { ...members, delayMs: 8 * unitMs });
      await pass(4 * unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended while preparing");
      isOutcome(await store.settle(plain.lease, PREPARED), "settled", "settling as prepared");
      isOutcome(await store.settle(delayed.lease, PREPARED), "settled", "settling the delayed one");
      await pass(2 * unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended before their deadline");
      await pass(unitMs);
      deepEqual(
        await endOverdue(store),
        [await about(store, plain.operation)],
        "operations that ended after it",
      );
      await pass(5 * unitMs);
      deepEqual(
        await endOverdue(store),
        [await about(store, delayed.operation)],
        "operations that ended after the delay",
      );
      equal(await begins(store, slow.id), true, "beginning the one that is still preparing");
    },
  },
  {
    rule: "deadline.longest",
    name: "keeps a deadline of 100 years after a delay of 100 years",
    needs: NEEDS,
    check: async (store, { unitMs, pass }) => {
      const longest = MAX_DURATION_MS;
      await createPending(store, { delayMs: longest, startWithinMs: longest });
      const operation = await createPending(store, { startWithinMs: longest });
      await pass(unitMs);
      deepEqual(await endOverdue(store), [], "operations that ended");
      equal((await begin(store, operation.id)).operation.startWithinMs, longest, "`startWithinMs`");
    },
  },
];

/** Ends overdue operations. */
export function endOverdue(store: OperationStore, limit = 100): Promise<readonly OverdueOperation[]> {
  return store.endOverdue({ limit });
}

/** Returns what a store says of an operation that has expired. */
export async function about(store: OperationStore, operation: NewOperation): Promise<OverdueOperation> {
  const { id, definition, tenant, principal, createdAt } = await read(store, operation);
  const overdue = { id, definition, tenant, createdAt };
  return principal === undefined ? overdue : { ...overdue, principal };
}

/** Sorts by id. */
export function sorted(operations: readonly OverdueOperation[]): readonly OverdueOperation[] {
  return [...operations].sort((a, b) => (a.id < b.id ? -1 : 1));
}
