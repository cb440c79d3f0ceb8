import { isAsyncReplyError } from "../../core/errors.js";
import type { JsonText, Settlement } from "../../core/operation.js";
import type { RecordResult, Submission, Transactions } from "../../ports/backend.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import type { Changes } from "./changes.js";
import type { Gateway } from "./gateway.js";
import { toSettleResult } from "./operation-store.js";
import { keyInProgress, recordValues, toRecordResult } from "./record-values.js";
import type { Row } from "./row.js";
import { settleValues } from "./settle-values.js";

const LOST: SettleResult = { outcome: "lost" };

/** Rolls a transaction back. */
class Lost extends Error {}

/** The user's writes and ours on one connection. `channel`: where workers hear of what is recorded. */
export function createTransactions<Tx>(
  gateway: Gateway<Tx>,
  channel: string | undefined,
  changes: Changes,
): Transactions<Tx> {
  async function record(
    tx: Tx,
    submission: Submission,
    create: (tx: Tx) => Promise<JsonText>,
  ): Promise<RecordResult> {
    const { id, scope, definition, key } = submission.operation;
    // Without this a duplicate would wait for the whole of this transaction to learn of it.
    if (key !== undefined) {
      const [answer] = await gateway.callIn(tx, "lock_key_v1", [scope, definition, key]);
      if (answer?.locked !== true) throw keyInProgress();
    }
    const [row] = await gateway.callIn(tx, "record_v1", recordValues([submission])).catch(keyIsHeld);
    const result = toRecordResult(row, submission);
    if (!isNew(row)) return result;
    const resource = await create(tx);
    const known = result.outcome === "created" ? id : result.operation.id;
    await gateway.callIn(tx, "set_resource_v1", [known, resource]);
    return result.outcome === "created"
      ? result
      : { ...result, operation: { ...result.operation, resource } };
  }

  async function settle(tx: Tx, lease: Lease, work: (tx: Tx) => Promise<Settlement>): Promise<SettleResult> {
    const settlement = await work(tx);
    const values = settleValues([{ lease, settlement, followUps: [] }]).slice(0, SETTLE_ONCE_PARAMETERS);
    const [row] = await gateway.callIn(tx, "settle_once_v1", values);
    if (row === undefined) throw new Lost();
    return toSettleResult(row);
  }

  return {
    record: (submission, create, signal) =>
      gateway.transaction((tx) => record(tx, submission, create), signal),
    settle: async (lease, work, signal) => {
      try {
        const result = await gateway.transaction((tx) => settle(tx, lease, work), signal);
        changes.ended(lease.operationId);
        return result;
      } catch (error) {
        if (error instanceof Lost) return LOST;
        throw error;
      }
    },
    recordIn: async (tx, submission) => {
      const [row] = await gateway.callIn(tx, "record_in_v1", [
        ...recordValues([submission]),
        channel ?? null,
      ]);
      return toRecordResult(row, submission);
    },
  };
}

/** Those of `settle_v1` without follow-ups. */
const SETTLE_ONCE_PARAMETERS = 7;

/** Whether this call has created an operation, its own or that of an earlier one that was only half done. */
function isNew(row: Row | undefined): boolean {
  return row === undefined || row.outcome === "created" || row.outcome === "helped";
}

function keyIsHeld(error: unknown): never {
  const cause = isAsyncReplyError(error)
    ? (error.cause as { readonly code?: unknown } | undefined)
    : undefined;
  throw cause?.code === "55P03" ? keyInProgress() : error;
}
