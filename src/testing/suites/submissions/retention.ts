import { deepEqual, equal, isOutcome } from "../../expect.js";
import { ENDINGS } from "../operation-store/attempt/endings.js";
import { newFollowUp } from "../operation-store/attempt/on-end.js";
import { createRedriven, redrive } from "../operation-store/attempt/redrive.js";
import {
  begin,
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createWorking,
  FAILED,
  LONG_MS,
} from "../operation-store/fixtures.js";
import type { Recording, SubmissionsCheck } from "./fixtures.js";

/** More than any case creates. */
const MANY = 100;
/** A purge may stop at an operation that is kept for its successor, and pass it the next time. */
const IDLE_ROUNDS = 5;
const YEAR_MS = 365 * 24 * 3_600_000;

/** Purges one operation after the other, and returns their ids in that order. */
async function purged({ operations, submissions }: Recording): Promise<string[]> {
  const existing = async (): Promise<string[]> =>
    (await operations.list({ internal: true, limit: MANY })).map(({ id }) => id);
  const gone: string[] = [];
  let left = await existing();
  for (let idle = 0; idle < IDLE_ROUNDS && left.length > 0; ) {
    await submissions.purge({ limit: 1 });
    const now = await existing();
    gone.push(...left.filter((id) => !now.includes(id)));
    idle = now.length < left.length ? 0 : idle + 1;
    left = now;
  }
  return gone;
}

/** Operations that a purge deletes, and when. */
export const retentionChecks: readonly SubmissionsCheck[] = [
  {
    rule: "purge.from-the-end",
    name: "counts the retention from the end of an operation, not from its creation",
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const { operation, lease } = await createWorking(operations, LONG_MS, { retentionMs: 5 * unitMs });
      await pass(10 * unitMs);
      isOutcome(await operations.settle(lease, COMPLETED), "settled", "settling");
      deepEqual(await purged(backend), [], "operations purged at its end");
      await pass(5 * unitMs);
      deepEqual(await purged(backend), [operation.id], "operations purged when its retention is over");
    },
  },
  {
    rule: "purge.overdue",
    name: "purges the operations that expired first, not those that ended first",
    check: async (backend, { unitMs, pass }) => {
      const ids: string[] = [];
      for (const units of [6, 2, 4]) {
        const { operation } = await createEnded(backend.operations, { retentionMs: units * unitMs });
        ids.push(operation.id);
      }
      await pass(7 * unitMs);
      deepEqual(await purged(backend), [ids[1], ids[2], ids[0]], "operations purged");
    },
  },
  {
    rule: "purge.every-end",
    name: "keeps a failed operation for its `failedRetentionMs`, however it failed, and others for `retentionMs`",
    check: async (backend, time) => {
      const { operations } = backend;
      const [short, long] = [8 * time.unitMs, 20 * time.unitMs];
      const early: string[] = [];
      const late: string[] = [];
      for (const { state, end } of ENDINGS) {
        const isShort = state === "failed" ? early : late;
        isShort.push((await end(operations, { retentionMs: long, failedRetentionMs: short }, time)).id);
        const isLong = state === "failed" ? late : early;
        isLong.push((await end(operations, { retentionMs: short, failedRetentionMs: long }, time)).id);
      }
      await time.pass(short);
      deepEqual((await purged(backend)).sort(), early.sort(), "operations purged early");
      await time.pass(long - short);
      deepEqual((await purged(backend)).sort(), late.sort(), "operations purged late");
    },
  },
  {
    rule: "purge.expired",
    name: "keeps an operation that did not start in time for its `failedRetentionMs`",
    needs: ["deadlines"],
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const members = { startWithinMs: unitMs, retentionMs: 0, failedRetentionMs: 4 * unitMs };
      const operation = await createPending(operations, members);
      await pass(unitMs);
      equal((await operations.endOverdue({ limit: MANY })).length, 1, "number of operations that ended");
      await pass(2 * unitMs);
      deepEqual(await purged(backend), [], "operations purged early");
      await pass(2 * unitMs);
      deepEqual(await purged(backend), [operation.id], "operations purged after it");
    },
  },
  {
    rule: "purge.follow-up",
    name: "keeps a failed follow-up for its own retention, and repeats of the end do not create it again after that",
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const onEnd = newFollowUp({ retentionMs: 0, failedRetentionMs: 5 * unitMs });
      const { lease } = await createWorking(operations, LONG_MS, { onEnd });
      isOutcome(await operations.settle(lease, COMPLETED), "settled", "completing the operation");
      const work = await begin(operations, onEnd.id, { name: onEnd.definition });
      isOutcome(await operations.settle(work.lease, FAILED), "settled", "failing its follow-up");
      await pass(4 * unitMs);
      deepEqual(await purged(backend), [], "operations purged before its retention is over");
      await pass(unitMs);
      deepEqual(await purged(backend), [onEnd.id], "operations purged when it is over");
      isOutcome(await operations.settle(lease, COMPLETED), "settled", "repeating the end");
      equal(await begins(operations, onEnd.id, { name: onEnd.definition }), false, "beginning the follow-up");
    },
  },
  {
    rule: "purge.stats",
    name: "leaves no purged operation in the counts",
    check: async (backend) => {
      const { operations } = backend;
      await createEnded(operations, { retentionMs: 0 }, FAILED);
      await createEnded(operations, {}, FAILED);
      await purged(backend);
      const [stats] = await operations.stats({ definitions: ["orders"] });
      equal(stats?.failed.count, 1, "number of failed operations");
    },
  },
  {
    rule: "purge.chain",
    name: "keeps every operation of a chain of redrives until the last one is gone",
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const { failed: first, successor: second } = await createRedriven(operations, { retentionMs: unitMs });
      const work = await begin(operations, second);
      isOutcome(await operations.settle(work.lease, FAILED), "settled", "failing the second");
      const redriven = isOutcome(await redrive(operations, second), "redriven", "redriving the second");
      await pass(10 * unitMs);
      deepEqual(await purged(backend), [], "operations purged while the last one is pending");
      const last = await begin(operations, redriven.operationId);
      isOutcome(await operations.settle(last.lease, COMPLETED), "settled", "completing the last one");
      await pass(unitMs);
      deepEqual(await purged(backend), [redriven.operationId, second, first], "operations purged after it");
    },
  },
  {
    rule: "purge.redriven-own",
    name: "keeps a redriven operation for its own retention, if its successor is gone earlier",
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const members = { retentionMs: unitMs, failedRetentionMs: 10 * unitMs };
      const { failed, successor } = await createRedriven(operations, members);
      const { lease } = await begin(operations, successor);
      isOutcome(await operations.settle(lease, COMPLETED), "settled", "completing the successor");
      await pass(unitMs);
      deepEqual(await purged(backend), [successor], "operations purged first");
      await pass(8 * unitMs);
      deepEqual(await purged(backend), [], "operations purged before its own retention is over");
      await pass(unitMs);
      deepEqual(await purged(backend), [failed], "operations purged when it is over");
    },
  },
  {
    rule: "jump.redriven",
    name: "keeps an operation redriven during a year-long clock jump until its successor is gone",
    needs: ["jumpsBack"],
    check: async (backend, { unitMs, pass, jump }) => {
      const { operations } = backend;
      const { operation } = await createEnded(operations, { retentionMs: unitMs }, FAILED);
      await jump(YEAR_MS);
      const result = isOutcome(await redrive(operations, operation.id), "redriven", "redriving");
      await jump(-YEAR_MS);
      await pass(10 * unitMs);
      deepEqual(await purged(backend), [], "operations purged while the successor is pending");
      // The successor was created while the clock was ahead, so it might not be due yet.
      const cancelled = await operations.requestCancel(result.operationId, operation.tenant);
      equal(cancelled, "cancelled", "cancelling the successor");
      await pass(unitMs);
      deepEqual(await purged(backend), [result.operationId, operation.id], "operations purged after the end");
    },
  },
];
