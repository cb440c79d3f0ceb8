import type { JsonText } from "../../core/operation.js";
import type { RecordResult, Submission, Transactions } from "../../ports/backend.js";
import type { SettleResult } from "../../ports/operation-store.js";
import type { CallInTransaction, Gateway } from "./gateway.js";
import { toSettleResult } from "./operation-store.js";
import { keyInProgress, recordValues, toRecordResult } from "./record-values.js";
import type { Row } from "./row.js";
import { settleValues } from "./settle-values.js";

/** The user's writes and ours on one connection. */
export function createTransactions<Tx>(gateway: Gateway<Tx>): Transactions<Tx> {
  return {
    record: (submission, create) => gateway.transaction((tx, call) => recordIn(tx, call, submission, create)),
    settle: async (lease, work) => {
      const lost = new Lost();
      try {
        return await gateway.transaction(async (tx, call) => {
          const settlement = await work(tx);
          const [row] = await call("settle_v1", settleValues([{ lease, settlement, followUps: [] }]));
          if (row === undefined) throw lost;
          return toSettleResult(row);
        });
      } catch (error) {
        if (error === lost) return LOST;
        throw error;
      }
    },
  };
}

const LOST: SettleResult = { outcome: "lost" };

/** Rolls a transaction back. */
class Lost extends Error {}

async function recordIn<Tx>(
  tx: Tx,
  call: CallInTransaction,
  submission: Submission,
  create: (tx: Tx) => Promise<JsonText>,
): Promise<RecordResult> {
  const { id, scope, definition, key } = submission.operation;
  // Without this a duplicate would wait for the whole of this transaction to learn of it.
  if (key !== undefined) {
    const [answer] = await call("lock_key_v1", [scope, definition, key]);
    if (answer?.locked !== true) throw keyInProgress();
  }
  const [row] = await call("record_v1", recordValues([submission])).catch(keyIsHeld);
  const result = toRecordResult(row, submission);
  if (!isNew(row)) return result;
  const resource = await create(tx);
  await call("set_resource_v1", [result.outcome === "created" ? id : result.operation.id, resource]);
  return result.outcome === "created" ? result : { ...result, operation: { ...result.operation, resource } };
}

/** Whether this call has created an operation, its own or that of an earlier one that was only half done. */
function isNew(row: Row | undefined): boolean {
  return row === undefined || row.outcome === "created" || row.outcome === "helped";
}

function keyIsHeld(error: unknown): never {
  if ((error as { readonly code?: unknown } | undefined)?.code === "55P03") throw keyInProgress();
  throw error;
}
