import type { BatchLimits } from "../../../batching/batches.js";
import { CANCELLED } from "../../../contract/problem.js";
import type {
  AttemptRequest,
  BeginResult,
  Lease,
  Renewal,
  RenewResult,
  SettleResult,
} from "../../../ports/operation-store.js";
import { toBeginResult, toRenewResult, toSettleResult } from "./attempt-results.js";
import { createCallBatch } from "./call-batch.js";
import type { Gateway } from "./gateway.js";
import { orEmpty } from "./or-empty.js";
import { type SettleItem, settleBytes, settleValues } from "./settle-values.js";

type RenewItem = Lease & Renewal;

/** Calls about attempts. Concurrent calls of one kind share a statement. */
export interface AttemptBatches {
  begin(item: Lease & AttemptRequest): Promise<BeginResult>;
  renew(item: RenewItem): Promise<RenewResult>;
  settle(item: SettleItem): Promise<SettleResult>;
}

/** Creates the batches: one for each kind of call. */
export function createAttemptBatches(gateway: Gateway<unknown>, limits: BatchLimits): AttemptBatches {
  return {
    begin: createCallBatch({
      gateway,
      name: "begin_v1",
      limits,
      valuesOf: (items) => [
        items.map(({ operationId }) => operationId),
        items.map(({ token }) => token),
        items.map(({ leaseMs }) => leaseMs),
        items.map(({ creates = true }) => creates),
        CANCELLED,
      ],
      resultOf: toBeginResult,
    }),
    renew: createCallBatch({
      gateway,
      name: "renew_v1",
      limits,
      bytesOf: ({ progress = "" }) => progress.length,
      valuesOf: (items) => [
        items.map(({ operationId }) => operationId),
        items.map(({ token }) => token),
        items.map(({ leaseMs = 0 }) => leaseMs),
        items.map(({ progress }) => orEmpty(progress)),
      ],
      resultOf: toRenewResult,
    }),
    settle: createCallBatch({
      gateway,
      name: "settle_v1",
      limits,
      bytesOf: settleBytes,
      valuesOf: (items) => settleValues(items),
      resultOf: toSettleResult,
    }),
  };
}
