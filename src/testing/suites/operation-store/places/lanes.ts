import type { NewOperation } from "../../../../contract/operation.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import { TENANTS } from "../../tenants.js";
import { redrive } from "../attempt/redrive.js";
import {
  begin,
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  ERROR,
  FAILED,
  GIVEN_BACK,
  LONG_MS,
  newOperation,
  type OperationStoreCheck,
  PREPARED,
  RETRIED,
  read,
} from "../fixtures.js";

const NEEDS = ["lanes"] as const;
const LANE = "customer 1";

export const laneChecks: readonly OperationStoreCheck[] = [
  {
    rule: "lanes.stored",
    name: "stores lanes exactly, in every state in which an operation can begin",
    needs: NEEDS,
    check: async (store) => {
      for (const lane of TENANTS) {
        const operation = await createPending(store, { lane });
        equal((await begin(store, operation.id)).operation.lane, lane, "the lane, begun");
        equal((await read(store, operation)).lane, lane, "the lane, read");
      }
      const { operation: preparing } = await createPreparing(store, LONG_MS, { lane: LANE });
      equal((await read(store, preparing)).lane, LANE, "the lane while preparing");
      const failed = newOperation({ lane: LANE });
      await store.create(failed, { state: "failed", error: ERROR });
      equal((await read(store, failed)).lane, LANE, "the lane of a failed operation");
      equal(
        (await read(store, await createPending(store))).lane,
        undefined,
        "the lane of one without a lane",
      );
    },
  },
  {
    rule: "lanes.order",
    name: "begins operations of a lane in the order of their creation",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      const ids = await createLane(store, pass, unitMs, 4);
      for (const [index, id] of ids.entries()) {
        for (const later of ids.slice(index + 1))
          equal(await begins(store, later), false, "beginning a later one");
        const { lease, operation } = await begin(store, id);
        equal(operation.attempt, 1, "the attempt after refusals");
        isOutcome(await store.settle(lease, COMPLETED), "settled", "settling");
      }
    },
  },
  {
    rule: "lanes.apart",
    name: "does not let operations of another lane, tenant or definition wait, or of no lane",
    needs: NEEDS,
    check: async (store) => {
      await begin(store, (await createPending(store, { lane: LANE })).id);
      const others: readonly Partial<NewOperation>[] = [
        { lane: `${LANE} ` },
        { lane: LANE, tenant: "tenant-2" },
        { lane: LANE, definition: "reports" },
        {},
        {},
      ];
      for (const members of others) {
        const { id, definition: name } = await createPending(store, members);
        await begin(store, id, { name });
      }
    },
  },
  {
    rule: "lanes.retry",
    name: "keeps the lane for an operation that waits for a retry, or that was released",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      for (const settlement of [{ ...RETRIED, delayMs: 2 * unitMs }, GIVEN_BACK]) {
        const lane = `lane ${settlement.countAttempt}`;
        const [first, second] = await createLane(store, pass, unitMs, 2, lane);
        const { lease } = await begin(store, first);
        equal(await begins(store, second), false, "beginning the second");
        isOutcome(await store.settle(lease, settlement), "settled", "releasing the first");
        equal(await begins(store, second), false, "beginning the second after the first was released");
        await pass(3 * unitMs);
        equal(await begins(store, second), false, "beginning the second when the first is due again");
        await begin(store, first);
        equal(await begins(store, second), false, "beginning the second during the retry");
      }
    },
  },
  {
    rule: "lanes.delayed",
    name: "keeps the lane for an operation that is delayed",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      const { id } = await createPending(store, { lane: LANE, delayMs: 3 * unitMs });
      await pass(unitMs);
      const second = await createPending(store, { lane: LANE });
      equal(await begins(store, second.id), false, "beginning behind a delayed operation");
      await pass(3 * unitMs);
      await begin(store, id);
    },
  },
  {
    rule: "lanes.freed",
    name: "gives the lane to the next operation when one completes, fails or is cancelled, also before its turn",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      const [first, second, third, fourth, fifth, last] = await createLane(store, pass, unitMs, 6);
      const completing = await begin(store, first);
      for (const id of [second, third, fourth, fifth, last])
        equal(await begins(store, id), false, "beginning early");
      equal(await store.requestCancel(second, "tenant-1"), "cancelled", "cancelling before its turn");
      equal(await begins(store, third), false, "beginning the third");
      isOutcome(await store.settle(completing.lease, COMPLETED), "settled", "completing the first");
      const failing = await begin(store, third);
      equal(await begins(store, fourth), false, "beginning the fourth");
      isOutcome(await store.settle(failing.lease, FAILED), "settled", "failing the third");
      equal(
        await store.requestCancel(fourth, "tenant-1"),
        "cancelled",
        "cancelling the one that has its turn",
      );
      const cancelled = await begin(store, fifth);
      equal(await store.requestCancel(fifth, "tenant-1"), "requested", "cancelling the one that runs");
      equal(await begins(store, last), false, "beginning the last");
      isOutcome(await store.settle(cancelled.lease, GIVEN_BACK), "settled", "ending the cancelled one");
      await begin(store, last);
    },
  },
  {
    rule: "lanes.expired",
    name: "keeps the lane for an operation that has lost its lease",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      const [first, second] = await createLane(store, pass, unitMs, 2);
      await begin(store, first, { leaseMs: unitMs });
      await pass(2 * unitMs);
      equal(await begins(store, second), false, "beginning the second");
      equal((await begin(store, first)).previousLost, true, "`previousLost` of the first");
    },
  },
  {
    rule: "lanes.preparing",
    name: "does not wait for an operation that is preparing",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      const { operation, lease } = await createPreparing(store, LONG_MS, { lane: LANE });
      await pass(unitMs);
      const [second, third] = await createLane(store, pass, unitMs, 2);
      const begun = await begin(store, second);
      isOutcome(await store.settle(lease, PREPARED), "settled", "preparing");
      equal(await begins(store, operation.id), false, "beginning the prepared one while another runs");
      isOutcome(await store.settle(begun.lease, COMPLETED), "settled", "completing");
      equal(await begins(store, third), false, "beginning a later one");
      await begin(store, operation.id);
    },
  },
  {
    rule: "lanes.redriven",
    name: "gives an operation that runs again the lane of the failed one",
    needs: ["lanes"],
    check: async (store, { pass, unitMs }) => {
      const { operation } = await createEnded(store, { lane: LANE }, FAILED);
      const [first] = await createLane(store, pass, unitMs, 1);
      const redriven = isOutcome(await redrive(store, operation.id), "redriven", "running it again");
      equal(await begins(store, redriven.operationId), false, "beginning before its turn");
      const { lease } = await begin(store, first);
      isOutcome(await store.settle(lease, COMPLETED), "settled", "completing");
      equal((await begin(store, redriven.operationId)).operation.lane, LANE, "its lane");
    },
  },
  {
    rule: "lanes.race",
    name: "begins one operation of a lane when many calls begin at once",
    needs: NEEDS,
    check: async (store, { pass, unitMs }) => {
      const ids = await createLane(store, pass, unitMs, 8);
      const outcomes = await concurrently(ids.length, (index) => begins(store, ids[index] ?? ""));
      const begun = outcomes.filter(Boolean).length;
      // A store that has no time to wait for another call may refuse all of them.
      if (begun === 0) await begin(store, ids[0] ?? "");
      else deepEqual(outcomes.indexOf(true), 0, "the operation that began");
      equal(begun <= 1, true, "at most one operation began");
    },
  },
];

/** Ids of a lane. A case names as many as it has created. */
type Ids = readonly string[] & readonly [string, string, string, string, string, string];

/** Creates operations of one lane, one after the other. */
async function createLane(
  store: OperationStore,
  pass: (ms: number) => Promise<void>,
  unitMs: number,
  count: number,
  lane: string = LANE,
): Promise<Ids> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await createPending(store, { lane })).id);
    await pass(unitMs);
  }
  return ids as readonly string[] as Ids;
}
