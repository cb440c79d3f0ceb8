import type { Submission } from "../../../ports/submission.js";
import { deepEqual, equal, isOutcome } from "../../expect.js";
import { redrive } from "../operation-store/attempt/redrive.js";
import { begin, COMPLETED, FAILED, LONG_MS, read } from "../operation-store/fixtures.js";
import { concurrently } from "../port-case.js";
import {
  boundTo,
  newSubmission,
  type Recording,
  recorded,
  recordedAndEnded,
  type SubmissionsCheck,
} from "./fixtures.js";

/** Checks that neither the operation nor its key is left. */
async function isForgotten(backend: Recording, submission: Submission): Promise<void> {
  const { id, tenant } = submission.operation;
  equal(await backend.operations.get(id, tenant), undefined, "the purged operation");
  equal(await boundTo(backend, submission), undefined, "what the key of a purged operation is bound to");
}

export const purgeChecks: readonly SubmissionsCheck[] = [
  {
    rule: "purge.both",
    name: "deletes an operation together with its key when its retention is over, not earlier",
    check: async (backend, { unitMs, pass }) => {
      const submission = await recordedAndEnded(backend, "key-1", 5 * unitMs);
      const limit = 10;
      await pass(4 * unitMs);
      equal(
        await backend.submissions.purge({ limit }),
        0,
        "number of purged operations before the retention is over",
      );
      equal((await read(backend.operations, submission.operation)).state, "completed", "the state");
      await pass(unitMs);
      equal(await backend.submissions.purge({ limit }), 1, "number of purged operations when it is over");
      await isForgotten(backend, submission);
      equal(await backend.submissions.purge({ limit }), 0, "number of purged operations after that");
    },
  },
  {
    rule: "purge.own-retention",
    name: "keeps each operation for its own retention, in any order of ending",
    check: async (backend, { unitMs, pass }) => {
      const long = await recordedAndEnded(backend, "long", 10 * unitMs);
      const short = await recordedAndEnded(backend, "short", 5 * unitMs);
      await pass(5 * unitMs);
      equal(
        await backend.submissions.purge({ limit: 10 }),
        1,
        "number of purged operations after the short retention",
      );
      await isForgotten(backend, short);
      equal(
        (await read(backend.operations, long.operation)).state,
        "completed",
        "the state of the other operation",
      );
      await pass(5 * unitMs);
      equal(
        await backend.submissions.purge({ limit: 10 }),
        1,
        "number of purged operations after the long retention",
      );
      await isForgotten(backend, long);
    },
  },
  {
    rule: "purge.failed",
    name: "keeps a failed operation and its key for its `failedRetentionMs`",
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const members = { retentionMs: unitMs, failedRetentionMs: 5 * unitMs };
      const submission = await recorded(backend, members);
      const { id, tenant } = submission.operation;
      equal(await operations.requestCancel(id, tenant), "cancelled", "cancelling it");
      await pass(4 * unitMs);
      equal(
        await backend.submissions.purge({ limit: 10 }),
        0,
        "number of purged operations before it is over",
      );
      equal(await boundTo(backend, submission), id, "what its key is bound to");
      const again = isOutcome(
        await backend.submissions.record(newSubmission()),
        "exists",
        "recording its key again",
      );
      deepEqual(
        [again.operation.retentionMs, again.operation.failedRetentionMs],
        [unitMs, 5 * unitMs],
        "the retentions of the operation of the key",
      );
      await pass(unitMs);
      equal(await backend.submissions.purge({ limit: 10 }), 1, "number of purged operations when it is over");
      await isForgotten(backend, submission);
    },
  },
  {
    rule: "purge.terminal-only",
    name: "keeps unfinished operations of any age, with their keys",
    check: async (backend, { unitMs, pass }) => {
      const pending = await recorded(backend, { retentionMs: 0 });
      const working = await recorded(backend, { key: "key-2", retentionMs: 0 });
      const { lease } = await begin(backend.operations, working.operation.id);
      await pass(10 * unitMs);
      equal(await backend.submissions.purge({ limit: 10 }), 0, "number of purged operations");
      for (const submission of [pending, working]) {
        equal(await boundTo(backend, submission), submission.operation.id, "what its key is bound to");
        equal((await read(backend.operations, submission.operation)).state, "pending", "the state");
      }
      isOutcome(await backend.operations.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing");
    },
  },
  {
    rule: "purge.limit",
    name: "purges up to the limit and returns the number",
    check: async (backend) => {
      const ended = [];
      for (const key of ["a", "b", "c"]) ended.push(await recordedAndEnded(backend, key));
      for (const count of [2, 1, 0]) {
        equal(await backend.submissions.purge({ limit: 2 }), count, "number of purged operations");
      }
      for (const submission of ended) await isForgotten(backend, submission);
    },
  },
  {
    rule: "purge.race",
    name: "counts each operation for one of many concurrent callers",
    check: async (backend) => {
      for (let index = 0; index < 20; index += 1) await recordedAndEnded(backend, `key-${index}`);
      const purge = (): Promise<number> => backend.submissions.purge({ limit: 5 });
      let total = (await concurrently(10, purge)).reduce((sum, count) => sum + count, 0);
      for (let count = await purge(); count > 0; count = await purge()) total += count;
      equal(total, 20, "number of operations purged by all callers");
    },
  },
  {
    rule: "purge.successor",
    name: "keeps a key that now belongs to a newer operation, together with that operation",
    check: async (backend) => {
      await recordedAndEnded(backend, "key-1");
      await backend.submissions.purge({ limit: 10 });
      const successor = await recorded(backend);
      equal(await backend.submissions.purge({ limit: 10 }), 0, "number of purged operations then");
      equal((await read(backend.operations, successor.operation)).state, "pending", "its state");
      equal(await boundTo(backend, successor), successor.operation.id, "what its key is bound to");
    },
  },
  {
    rule: "purge.redriven",
    name: "keeps a redriven operation and its key until its successor is gone",
    check: async (backend, { unitMs, pass }) => {
      const { operations } = backend;
      const submission = await recorded(backend, { retentionMs: unitMs });
      const { lease } = await begin(operations, submission.operation.id);
      isOutcome(await operations.settle(lease, FAILED), "settled", "failing it");
      const result = await redrive(operations, submission.operation.id);
      const { operationId } = isOutcome(result, "redriven", "redriving it");
      await pass(10 * unitMs);
      equal(
        await backend.submissions.purge({ limit: 10 }),
        0,
        "number of purged operations while the successor is pending",
      );
      const again = isOutcome(
        await backend.submissions.record(newSubmission()),
        "exists",
        "recording its key again",
      );
      equal(again.operation.retriedBy, operationId, "the successor of the operation of the key");
      const work = await begin(operations, operationId);
      isOutcome(await operations.settle(work.lease, COMPLETED), "settled", "completing the successor");
      await pass(unitMs);
      let total = 0;
      for (let round = 0; round < 5; round += 1) total += await backend.submissions.purge({ limit: 10 });
      equal(total, 2, "number of purged operations when the successor has expired");
      await isForgotten(backend, submission);
    },
  },
  {
    rule: "purge.makes-room",
    name: "does not let purged operations displace operations that expire later",
    needs: ["skipsTime"],
    check: async (backend, { pass }) => {
      await recordedAndEnded(backend, "key-1");
      equal(await backend.submissions.purge({ limit: 1 }), 1, "number of purged operations first");
      await pass(LONG_MS);
      await recordedAndEnded(backend, "key-2");
      equal(await backend.submissions.purge({ limit: 1 }), 1, "number of purged operations an hour later");
    },
  },
];
