import { deepEqual, equal, isOutcome } from "../../expect.js";
import type { PortTime } from "../port-case.js";
import {
  begin,
  begins,
  COMPLETED,
  claim,
  createPending,
  createWorking,
  idsOf,
  LONG_MS,
  type OperationStoreCheck,
  read,
} from "./fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

/** Runs an action while the clock is a year ahead. */
export async function whileAhead<Result>({ jump }: PortTime, act: () => Promise<Result>): Promise<Result> {
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
    rule: "jump.due",
    name: "begins operations whose attempt was lost after a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      await whileAhead(time, () => createWorking(store, time.unitMs));
      const { operation: after } = await createWorking(store, time.unitMs);
      await time.pass(time.unitMs);
      deepEqual(idsOf(await claim(store)), [after.id], "what begins");
      deepEqual(idsOf(await claim(store)), [], "what begins again");
    },
  },
  {
    rule: "jump.delayed",
    name: "begins a delayed operation on time although a claim found nothing during a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      deepEqual(idsOf(await whileAhead(time, () => claim(store))), [], "what begins a year later");
      const { id } = await createPending(store, { delayMs: 5 * time.unitMs });
      deepEqual(idsOf(await claim(store)), [], "what begins before the delay is over");
      await time.pass(5 * time.unitMs);
      deepEqual(idsOf(await claim(store)), [id], "what begins after it");
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
      equal(await begins(store, ahead.id), false, "beginning the leased operation, a year earlier");
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
      equal(await begins(store, before.id), false, "beginning the operation taken over");
      isOutcome(await store.settle(lease, COMPLETED), "lost", "settling the operation taken over");
      const after = await createPending(store);
      const begun = await begin(store, after.id);
      equal(await begins(store, after.id), false, "beginning the running operation");
      isOutcome(await store.settle(begun.lease, COMPLETED), "settled", "settling the running operation");
    },
  },
];
