import { deepEqual, equal, isOutcome } from "../../expect.js";
import type { PortTime } from "../port-case.js";
import {
  begin,
  COMPLETED,
  createEnded,
  createPending,
  createWorking,
  knock,
  LONG_MS,
  type OperationStoreCheck,
  read,
} from "./fixtures.js";
import { takeExpiredIds, takeIds } from "./taking.js";

const YEAR_MS = 365 * 24 * 3_600_000;

/** Does something while the clock is a year ahead. */
async function whileAhead<Result>({ jump }: PortTime, act: () => Promise<Result>): Promise<Result> {
  await jump(YEAR_MS);
  const result = await act();
  await jump(-YEAR_MS);
  return result;
}

/** What a clock that jumps must not stop. What ended or was leased while the clock was ahead may wait until then. */
export const clockJumpChecks: readonly OperationStoreCheck[] = [
  {
    rule: "jump.expired",
    name: "hands out what ended before and after the clock was a year ahead, each once",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const members = { retentionMs: 5 * time.unitMs };
      const { operation: before } = await createEnded(store, members);
      const { operation: ahead } = await whileAhead(time, () => createEnded(store, members));
      const { operation: after } = await createEnded(store, members);
      await time.pass(5 * time.unitMs);
      const take = async (): Promise<string[]> =>
        (await takeExpiredIds(store)).filter((id) => id !== ahead.id).sort();
      deepEqual(await take(), [before.id, after.id].sort(), "what is handed out");
      deepEqual(await take(), [], "what is handed out again");
    },
  },
  {
    rule: "jump.removed",
    name: "forgets what was removed after the clock was a year ahead",
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
    name: "hands out what nobody works on after the clock was a year ahead, once",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { operation: ahead } = await whileAhead(time, () => createWorking(store, time.unitMs));
      const { operation: after } = await createWorking(store, time.unitMs);
      await time.pass(time.unitMs);
      const take = async (): Promise<string[]> => (await takeIds(store)).filter((id) => id !== ahead.id);
      deepEqual(await take(), [after.id], "what is handed out");
      deepEqual(await take(), [], "what is handed out again");
    },
  },
  {
    rule: "jump.delayed",
    name: "begins a delayed operation when its delay is over, though it was handed out while the clock was a year ahead",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { id } = await createPending(store, { delayMs: 5 * time.unitMs });
      deepEqual(await whileAhead(time, () => takeIds(store)), [id], "what is handed out a year later");
      equal(await knock(store, id), "not-due", "beginning it before the delay is over");
      await time.pass(5 * time.unitMs);
      equal((await begin(store, id)).operation.attempt, 1, "the attempt after the delay");
    },
  },
  {
    rule: "jump.leases",
    name: "renews and settles by the token, whichever way the clock has jumped since the attempt began",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { operation: before, lease } = await createWorking(store);
      const { operation: ahead, lease: later } = await whileAhead(time, async () => {
        isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing a year later");
        isOutcome(await store.settle(lease, COMPLETED), "settled", "settling a year later");
        return createWorking(store);
      });
      equal(await knock(store, ahead.id), "busy", "beginning what is leased, a year earlier");
      isOutcome(await store.renew(later, { leaseMs: LONG_MS }), "renewed", "renewing a year earlier");
      isOutcome(await store.settle(later, COMPLETED), "settled", "settling a year earlier");
      for (const operation of [before, ahead])
        equal((await read(store, operation)).state, "completed", "the state");
    },
  },
  {
    rule: "jump.begun",
    name: "begins what is created after the clock was a year ahead, and takes nothing over twice",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const { operation: before, lease } = await createWorking(store);
      await whileAhead(time, () => begin(store, before.id));
      equal(await knock(store, before.id), "busy", "beginning what was taken over");
      isOutcome(await store.settle(lease, COMPLETED), "lost", "settling what was taken over");
      const after = await createPending(store);
      const begun = await begin(store, after.id);
      equal(await knock(store, after.id), "busy", "beginning what has begun");
      isOutcome(await store.settle(begun.lease, COMPLETED), "settled", "settling what has begun");
    },
  },
];
