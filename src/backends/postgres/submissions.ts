import type { BatchSettings } from "../../batching/batches.js";
import type { Submissions, Transactions } from "../../ports/backend.js";
import type { Runtime } from "../../ports/runtime.js";
import type { RecordResult, Submission } from "../../ports/submission.js";
import { integer, text } from "../shared/row.js";
import { createCallBatch, createUnsent } from "./calls/call-batch.js";
import type { Gateway } from "./calls/gateway.js";
import { createKeyWait } from "./calls/key-wait.js";
import { createRecordMany } from "./calls/record-many.js";
import {
  isHeld,
  ONE_OPERATION,
  recordAloneValues,
  recordBytes,
  recordValues,
  toRecordResult,
} from "./calls/recording.js";

/** Each submission whose key is still held delays the others in its statement by a few milliseconds. */
const MAX_HELD_BATCH = 16;

/** Creates submissions that record a key and its operation in one row. Concurrent submissions share a commit. */
export function createPostgresSubmissions<Tx>(
  gateway: Gateway<Tx>,
  limits: BatchSettings,
  transactions: Transactions<Tx>,
  runtime: Runtime,
): Submissions<Tx> {
  const calls = {
    gateway,
    valuesOf: recordValues,
    bytesOf: recordBytes,
  };
  const tryRecord = createCallBatch<Submission, RecordResult | undefined>({
    ...calls,
    name: "record_each_v1",
    limits: { ...limits, maxBatch: Math.min(limits.maxBatch, MAX_HELD_BATCH) },
    resultOf: (row, submission) => (isHeld(row) ? undefined : toRecordResult(row, submission)),
  });
  const unsent = createUnsent<Submission>();
  const waitForKey = createKeyWait({
    tryRecord,
    record: (submission) => record(submission),
    maxWaiting: limits.maxWaiting,
    runtime,
  });
  const record = createCallBatch<Submission, RecordResult>({
    ...calls,
    name: "record_new_v1",
    // If clients repeat keys, most batches would roll back what they have inserted.
    afterRows: "record_v1",
    alone: { name: "record_alone_v1", valuesOf: recordAloneValues },
    apart: "record_each_v1",
    limits,
    equality: ONE_OPERATION,
    unsent,
    resultOf: (row, submission) => (isHeld(row) ? waitForKey(submission) : toRecordResult(row, submission)),
  });
  return {
    record,
    recordMany: createRecordMany({ gateway, limits, unsent, runtime }),
    findKey: async ({ tenant, definition, key }) => {
      const [row] = await gateway.call("find_key_v1", [tenant, definition, key], { repeatable: true });
      return row && { operationId: text(row, "operation_id"), fingerprint: text(row, "fingerprint") };
    },
    giveUp: unsent.giveUp,
    purge: async ({ limit }) => {
      const [row = {}] = await gateway.call("purge_v1", [limit]);
      return integer(row, "purged");
    },
    transactions,
  };
}
