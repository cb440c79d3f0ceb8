import type { Submissions } from "../../../ports/backend.js";
import type { Submission } from "../../../ports/submission.js";
import { deepEqual, equal, isOutcome } from "../../expect.js";
import { begin, COMPLETED, FAILED, LONG_MS, newId, read } from "../operation-store/fixtures.js";
import { redrive } from "../operation-store/retention/redrive.js";
import { concurrently } from "../port-case.js";
import { bindingOf, newSubmission, recorded, recordedAndEnded, type SubmissionsCheck } from "./fixtures.js";

/** Checks that neither the operation nor its key is left. */
async function isForgotten(submissions: Submissions<unknown>, submission: Submission): Promise<void> {
  const { id, tenant } = submission.operation;
  equal(await submissions.operations.get(id, tenant), undefined, "the purged operation");
  const binding = { ...bindingOf(submission), operationId: newId() };
  isOutcome(await submissions.idempotency.bind(binding), "bound", "binding the key of a purged operation");
}

export const purgeChecks: readonly SubmissionsCheck[] = [
  {
    rule: "purge.both",
    name: "deletes an operation together with its key when its retention is over, not earlier",
    check: async (submissions, { unitMs, pass }) => {
      const submission = await recordedAndEnded(submissions, "key-1", 5 * unitMs);
      const limit = 10;
      await pass(4 * unitMs);
      equal(
        await submissions.purge({ limit }),
        0,
        "number of purged operations before the retention is over",
      );
      equal((await read(submissions.operations, submission.operation)).state, "completed", "the state");
      await pass(unitMs);
      equal(await submissions.purge({ limit }), 1, "number of purged operations when it is over");
      await isForgotten(submissions, submission);
      equal(await submissions.purge({ limit }), 0, "number of purged operations after that");
    },
  },
  {
    rule: "purge.own-retention",
    name: "keeps each operation for its own retention, in any order of ending",
    check: async (submissions, { unitMs, pass }) => {
      const long = await recordedAndEnded(submissions, "long", 10 * unitMs);
      const short = await recordedAndEnded(submissions, "short", 5 * unitMs);
      await pass(5 * unitMs);
      equal(
        await submissions.purge({ limit: 10 }),
        1,
        "number of purged operations after the short retention",
      );
      await isForgotten(submissions, short);
      equal(
        (await read(submissions.operations, long.operation)).state,
        "completed",
        "the state of the other operation",
      );
      await pass(5 * unitMs);
      equal(
        await submissions.purge({ limit: 10 }),
        1,
        "number of purged operations after the long retention",
      );
      await isForgotten(submissions, long);
    },
  },
  {
    rule: "purge.failed",
    name: "keeps a failed operation and its key for its `failedRetentionMs`",
    check: async (submissions, { unitMs, pass }) => {
      const { operations, idempotency } = submissions;
      const members = { retentionMs: unitMs, failedRetentionMs: 5 * unitMs };
      const submission = await recorded(submissions, members);
      const { id, tenant } = submission.operation;
      equal(await operations.requestCancel(id, tenant), "cancelled", "cancelling it");
      await pass(4 * unitMs);
      equal(await submissions.purge({ limit: 10 }), 0, "number of purged operations before it is over");
      const binding = { ...bindingOf(submission), operationId: newId() };
      isOutcome(await idempotency.bind(binding), "exists", "binding its key");
      const again = isOutcome(await submissions.record(newSubmission()), "exists", "recording its key again");
      deepEqual(
        [again.operation.retentionMs, again.operation.failedRetentionMs],
        [unitMs, 5 * unitMs],
        "the retentions of the operation of the key",
      );
      await pass(unitMs);
      equal(await submissions.purge({ limit: 10 }), 1, "number of purged operations when it is over");
      await isForgotten(submissions, submission);
    },
  },
  {
    rule: "purge.terminal-only",
    name: "keeps unfinished operations of any age, with their keys",
    check: async (submissions, { unitMs, pass }) => {
      const pending = await recorded(submissions, { retentionMs: 0 });
      const working = await recorded(submissions, { key: "key-2", retentionMs: 0 });
      const { lease } = await begin(submissions.operations, working.operation.id);
      await pass(10 * unitMs);
      equal(await submissions.purge({ limit: 10 }), 0, "number of purged operations");
      for (const submission of [pending, working]) {
        const binding = { ...bindingOf(submission), operationId: newId() };
        isOutcome(await submissions.idempotency.bind(binding), "exists", "binding its key");
        equal((await read(submissions.operations, submission.operation)).state, "pending", "the state");
      }
      isOutcome(await submissions.operations.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing");
    },
  },
  {
    rule: "purge.limit",
    name: "purges up to the limit and returns the number",
    check: async (submissions) => {
      const ended = [];
      for (const key of ["a", "b", "c"]) ended.push(await recordedAndEnded(submissions, key));
      for (const count of [2, 1, 0]) {
        equal(await submissions.purge({ limit: 2 }), count, "number of purged operations");
      }
      for (const submission of ended) await isForgotten(submissions, submission);
    },
  },
  {
    rule: "purge.race",
    name: "counts each operation for one of many concurrent callers",
    check: async (submissions) => {
      for (let index = 0; index < 20; index += 1) await recordedAndEnded(submissions, `key-${index}`);
      const purge = (): Promise<number> => submissions.purge({ limit: 5 });
      let total = (await concurrently(10, purge)).reduce((sum, count) => sum + count, 0);
      for (let count = await purge(); count > 0; count = await purge()) total += count;
      equal(total, 20, "number of operations purged by all callers");
    },
  },
  {
    rule: "purge.successor",
    name: "keeps a key that now belongs to a newer operation, together with that operation",
    check: async (submissions) => {
      await recordedAndEnded(submissions, "key-1");
      await submissions.purge({ limit: 10 });
      const successor = await recorded(submissions);
      equal(await submissions.purge({ limit: 10 }), 0, "number of purged operations then");
      equal((await read(submissions.operations, successor.operation)).state, "pending", "its state");
      const binding = { ...bindingOf(successor), operationId: newId() };
      isOutcome(await submissions.idempotency.bind(binding), "exists", "binding its key");
    },
  },
  {
    rule: "purge.redriven",
    name: "keeps a redriven operation and its key until its successor is gone",
    check: async (submissions, { unitMs, pass }) => {
      const { operations } = submissions;
      const submission = await recorded(submissions, { retentionMs: unitMs });
      const { lease } = await begin(operations, submission.operation.id);
      isOutcome(await operations.settle(lease, FAILED), "settled", "failing it");
      const result = await redrive(operations, submission.operation.id);
      const { operationId } = isOutcome(result, "redriven", "redriving it");
      await pass(10 * unitMs);
      equal(
        await submissions.purge({ limit: 10 }),
        0,
        "number of purged operations while the successor is pending",
      );
      const again = isOutcome(await submissions.record(newSubmission()), "exists", "recording its key again");
      equal(again.operation.retriedBy, operationId, "the successor of the operation of the key");
      const work = await begin(operations, operationId);
      isOutcome(await operations.settle(work.lease, COMPLETED), "settled", "completing the successor");
      await pass(unitMs);
      let total = 0;
      for (let round = 0; round < 5; round += 1) total += await submissions.purge({ limit: 10 });
      equal(total, 2, "number of purged operations when the successor has expired");
      await isForgotten(submissions, submission);
    },
  },
  {
    rule: "purge.makes-room",
    name: "does not let purged operations displace operations that expire later",
    needs: ["skipsTime"],
    check: async (submissions, { pass }) => {
      await recordedAndEnded(submissions, "key-1");
      equal(await submissions.purge({ limit: 1 }), 1, "number of purged operations first");
      await pass(LONG_MS);
      await recordedAndEnded(submissions, "key-2");
      equal(await submissions.purge({ limit: 1 }), 1, "number of purged operations an hour later");
    },
  },
];
