import type { RecordResult, Submission, Submissions } from "../../ports/backend.js";
import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { BatchLimits } from "./batches.js";
import { createCallBatch } from "./call-batch.js";
import type { Changes } from "./changes.js";
import type { Gateway } from "./gateway.js";
import { ONE_OPERATION, recordValues, toRecordResult } from "./record-values.js";
import { integer } from "./row.js";
import { createTransactions } from "./transactions.js";

/** The two stores of a back end. */
export interface OwnStores {
  readonly operations: OperationStore;
  readonly idempotency: IdempotencyStore;
}

/** Records and purges key and operation in one row. What is recorded at the same time shares a commit. */
export function createPostgresSubmissions<Tx>(
  gateway: Gateway<Tx>,
  limits: BatchLimits,
  stores: OwnStores,
  channel: string | undefined,
  changes: Changes,
): Submissions<Tx> {
  const record = createCallBatch<Submission, RecordResult>({
    gateway,
    name: "record_v1",
    alone: "record_alone_v1",
    apart: "record_each_v1",
    limits,
    bytesOf: ({ operation }) => operation.input.length,
    equality: ONE_OPERATION,
    valuesOf: recordValues,
    resultOf: toRecordResult,
  });
  return {
    ...stores,
    record,
    purge: async ({ retentionMs, limit }) => {
      const [row = {}] = await gateway.call("purge_v1", [retentionMs, limit]);
      return integer(row, "purged");
    },
    transactions: createTransactions(gateway, channel, changes),
  };
}
