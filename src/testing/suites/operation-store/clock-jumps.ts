import { deepEqual, equal, isOutcome } from "../../expect.js";
import type { PortTime } from "../port-case.js";
import { takeExpiredIds, takeIds } from "./due/taking.js";
import {
  begin,
  COMPLETED,
  createEnded,
  createPending,
  createWorking,
  LONG_MS,
  type OperationStoreCheck,
  read,
  tryBegin,
} from "./fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

/** Runs an action while the clock is a year ahead. */
async function whileAhead<Result>({ jump }: PortTime, act: () => Promise<Result>): Promise<Result> {
  await jump(YEAR_MS);
  const result = await act();
  await jump(-YEAR_MS);
  return result;
}

/**
 * Work that must continue after the clock jumps. Operations that ended or were leased during the jump may wait until
 * the clock gets there.
 */
export const clockJumpChecks: readonly OperationStoreCheck[] = [
  {
    rule: "jump.expired",
    name: "hands out operations that ended before and after a year-long clock jump, each once",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const members = { retentionMs: 5 * time.unitMs };
      const { operation: before } = await createEnded(store, members);
      const { operation: ahead } = await whileAhead(time, () => createEnded(store, members));
      const { operation: after } = await createEnded(store, members);
      await time.pass(5 * time.unitMs);
      const take = async (): Promise<string[]> =>
        (await takeExpiredIds(store)).filter((id) => id !== ahead.id).sort();
      deepEqual(await take(), [before.id, after.id].sort(), "operations handed out");
      deepEqual(await take(), [], "operations handed out again");
    },
  },
  {
    rule: "jump.removed",
    name: "deletes operations that were removed after a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const ended = [await createEnded(store), await createEnded(store)];
      const [ahead = "", after = ""] = ended.map(({ operation }) => operation.id);
      const afterMs = time.unitMs;
      await whileAhead(time, () => store.remove([ahead], { afterMs }));
      await store.remove([after], { afterMs });
      await time.pass(afterMs);
      await takeExpiredIds(store);
      equal(await store.get(after, "tenant-1"), undefined, "the operation");
    },
  },
  {
    rule: "jump.due",
    name: "hands out operations without a worker once after a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { operation: ahead } = await whileAhead(time, () => createWorking(store, time.unitMs));
      const { operation: after } = await createWorking(store, time.unitMs);
      await time.pass(time.unitMs);
      const take = async (): Promise<string[]> => (await takeIds(store)).filter((id) => id !== ahead.id);
      deepEqual(await take(), [after.id], "operations handed out");
      deepEqual(await take(), [], "operations handed out again");
    },
  },
  {
    rule: "jump.delayed",
    name: "starts a delayed operation on time although it was handed out during a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { id } = await createPending(store, { delayMs: 5 * time.unitMs });
      deepEqual(await whileAhead(time, () => takeIds(store)), [id], "operations handed out a year later");
      equal(await tryBegin(store, id), "not-due", "beginning it before the delay is over");
      await time.pass(5 * time.unitMs);
      equal((await begin(store, id)).operation.attempt, 1, "the attempt after the delay");
    },
  },
  {
    rule: "jump.leases",
    name: "renews and settles by token, although the clock jumped in either direction since the attempt started",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { operation: before, lease } = await createWorking(store);
      const { operation: ahead, lease: later } = await whileAhead(time, async () => {
        isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing a year later");
        isOutcome(await store.settle(lease, COMPLETED), "settled", "settling a year later");
        return createWorking(store);
      });
      equal(await tryBegin(store, ahead.id), "busy", "beginning the leased operation, a year earlier");
      isOutcome(await store.renew(later, { leaseMs: LONG_MS }), "renewed", "renewing a year earlier");
      isOutcome(await store.settle(later, COMPLETED), "settled", "settling a year earlier");
      for (const operation of [before, ahead])
        equal((await read(store, operation)).state, "completed", "the state");
    },
  },
  {
    rule: "jump.begun",
    name: "starts operations that were created after a year-long clock jump and takes none of them over twice",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { operation: before, lease } = await createWorking(store);
      await whileAhead(time, () => begin(store, before.id));
      equal(await tryBegin(store, before.id), "busy", "beginning the operation taken over");
      isOutcome(await store.settle(lease, COMPLETED), "lost", "settling the operation taken over");
      const after = await createPending(store);
      const begun = await begin(store, after.id);
      equal(await tryBegin(store, after.id), "busy", "beginning the running operation");
      isOutcome(await store.settle(begun.lease, COMPLETED), "settled", "settling the running operation");
    },
  },
];
