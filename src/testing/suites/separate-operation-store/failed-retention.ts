import { deepEqual, isOutcome } from "../../expect.js";
import { ENDINGS } from "../operation-store/attempt/endings.js";
import { newFollowUp } from "../operation-store/attempt/on-end.js";
import { createRedriven } from "../operation-store/attempt/redrive.js";
import { begin, COMPLETED, createWorking, FAILED, LONG_MS } from "../operation-store/fixtures.js";
import { type SeparateOperationStoreCheck, takeExpiredIds } from "./fixtures.js";

/** Retention of failed operations. */
export const failedRetentionChecks: readonly SeparateOperationStoreCheck[] = [
  {
    rule: "failed-retention.every-end",
    name: "keeps a failed operation for its `failedRetentionMs`, however it failed, and others for `retentionMs`",
    check: async (store, time) => {
      const [short, long] = [8 * time.unitMs, 20 * time.unitMs];
      const early: string[] = [];
      const late: string[] = [];
      for (const { state, end } of ENDINGS) {
        const isShort = state === "failed" ? early : late;
        isShort.push((await end(store, { retentionMs: long, failedRetentionMs: short }, time)).id);
        const isLong = state === "failed" ? late : early;
        isLong.push((await end(store, { retentionMs: short, failedRetentionMs: long }, time)).id);
      }
      await time.pass(short);
      deepEqual((await takeExpiredIds(store)).sort(), early.sort(), "operations handed out early");
      await time.pass(long - short);
      deepEqual((await takeExpiredIds(store)).sort(), late.sort(), "operations handed out late");
    },
  },
  {
    rule: "failed-retention.follow-up",
    name: "keeps a failed follow-up for its own `failedRetentionMs`",
    check: async (store, { unitMs, pass }) => {
      const onEnd = newFollowUp({ retentionMs: 0, failedRetentionMs: 5 * unitMs });
      const { lease } = await createWorking(store, LONG_MS, { onEnd });
      isOutcome(await store.settle(lease, COMPLETED), "settled", "completing the operation");
      const work = await begin(store, onEnd.id, { name: onEnd.definition });
      isOutcome(await store.settle(work.lease, FAILED), "settled", "failing its follow-up");
      await pass(4 * unitMs);
      deepEqual(await takeExpiredIds(store), [], "operations handed out before the retention is over");
      await pass(unitMs);
      deepEqual(await takeExpiredIds(store), [onEnd.id], "operations handed out when it is over");
    },
  },
  {
    rule: "failed-retention.redriven",
    name: "keeps a redriven operation for its own retention, if its successor is gone earlier",
    check: async (store, { unitMs, pass }) => {
      const members = { retentionMs: unitMs, failedRetentionMs: 10 * unitMs };
      const { failed, successor } = await createRedriven(store, members);
      const { lease } = await begin(store, successor);
      isOutcome(await store.settle(lease, COMPLETED), "settled", "completing the successor");
      await pass(unitMs);
      deepEqual(await takeExpiredIds(store), [successor], "operations handed out first");
      await store.remove([successor], { afterMs: 0 });
      await pass(8 * unitMs);
      deepEqual(await takeExpiredIds(store), [], "operations handed out before its own retention is over");
      await pass(unitMs);
      deepEqual(await takeExpiredIds(store), [failed], "operations handed out when it is over");
    },
  },
];
