import { MAX_TRIES } from "../../batching/back-off.js";
import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import type { JsonText } from "../../contract/operation.js";
import { misuse } from "../../contract/options.js";
import type { TransactionOptions, Transactions } from "../../ports/backend.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import type { OutputAppend } from "../../ports/output-store.js";
import type { RecordManyResult, RecordResult, Submission } from "../../ports/submission.js";
import { type Row, text } from "../shared/row.js";
import { settlementRefused } from "../shared/settlement-refused.js";
import { transactionEnded } from "../shared/transaction-ended.js";
import { settleValues, toSettleResult } from "./attempts.js";
import { byPlace } from "./calls/call-batch.js";
import type { Gateway } from "./calls/gateway.js";
import { recordValues, submissionInProgress, toManyResult, toRecordResult } from "./calls/recording.js";
import { codeOf } from "./connection/driver-error.js";
import { notInTransaction } from "./connection/open-transaction.js";
import { isConflict } from "./connection/store-error.js";
import { createTurnsIn } from "./in-turn.js";
import type { Changes } from "./notices/channels.js";
import { appendValues } from "./output.js";

const LOST: SettleResult = { outcome: "lost" };

/**
 * Thrown to roll back a transaction. Compared by identity, because `instanceof` throws for some values that user code
 * throws.
 */
const ROLL_BACK = new Error("The lease is lost.");

/** Options of {@link createTransactions}. */
export interface TransactionsOptions<Tx> {
  readonly gateway: Gateway<Tx>;
  readonly changes: Changes;
  /** Changes of outputs. */
  readonly appended: Changes;
  /** Channel that notifies workers of recorded operations. Default: none. */
  readonly channel: string | undefined;
  /** Time without a statement after which the server ends a transaction. Milliseconds. */
  readonly idleTimeoutMs: number;
}

/** Creates transactions that commit the user's writes together with the operation's. */
export function createTransactions<Tx>(options: TransactionsOptions<Tx>): Transactions<Tx> {
  const { gateway, changes, appended, channel, idleTimeoutMs } = options;
  const inTurn = createTurnsIn();

  async function record(
    tx: Tx,
    submission: Submission,
    create: (tx: Tx) => Promise<JsonText>,
  ): Promise<RecordResult> {
    const { tenant, definition, key } = submission.operation;
    // Without this lock, a duplicate would wait until the whole transaction ends.
    if (key !== undefined) {
      const [answer] = await gateway.callIn(tx, "lock_key_v1", [tenant, definition, key, idleTimeoutMs]);
      if (answer?.locked !== true) throw creationInProgress();
    }
    const [row] = await gateway.callIn(tx, "record_v1", recordValues([submission])).catch(keyIsHeld);
    return withResource(tx, row, submission, create);
  }

  /** Records in the caller's transaction. */
  async function rowsIn(tx: Tx, submissions: readonly Submission[]): Promise<readonly Row[]> {
    const call = (): Promise<readonly Row[]> => {
      const values = [...recordValues(submissions), channel ?? null, gateway.own.mark()];
      return gateway.callIn(tx, "record_in_v1", values).catch((error: unknown) => {
        if (gateway.own.mark() !== null && causeOf(error) === "3F000") throw withoutSchema();
        return refuseEnded(error);
      });
    };
    const rows = await call();
    const elsewhere = markElsewhere(rows);
    if (elsewhere === undefined) return rows;
    await gateway.own.refuseOther(elsewhere, inOtherDatabase);
    return call();
  }

  async function recordIn(
    tx: Tx,
    submission: Submission,
    create?: (tx: Tx) => Promise<JsonText>,
  ): Promise<RecordResult> {
    const [row] = await rowsIn(tx, [submission]);
    return create === undefined ? toRecordResult(row, submission) : withResource(tx, row, submission, create);
  }

  async function recordManyIn(
    tx: Tx,
    submissions: readonly Submission[],
  ): Promise<readonly RecordManyResult[]> {
    const rowAt = byPlace(await rowsIn(tx, submissions));
    return submissions.map((each, index) => toManyResult(rowAt(index), each));
  }

  /** Creates the resource of an operation that this transaction has recorded. */
  async function withResource(
    tx: Tx,
    row: Row | undefined,
    submission: Submission,
    create: (tx: Tx) => Promise<JsonText>,
  ): Promise<RecordResult> {
    const result = toRecordResult(row, submission);
    if (!isNew(row)) return result;
    const values = [submission.operation.id, await create(tx)];
    const [set] = await gateway.callIn(tx, "set_resource_v1", values).catch(refusedOutside);
    if (set?.found !== true) throw transactionEnded();
    return result;
  }

  /**
   * Locks the operation. The lock then acts as the lease: no one else can change the row before the transaction ends.
   * Returns the id of the transaction.
   */
  async function hold(tx: Tx, { operationId, token }: Lease): Promise<string> {
    const [row = { transaction_id: null }] = await gateway.callIn(tx, "hold_v1", [
      operationId,
      token,
      idleTimeoutMs,
    ]);
    if (row.transaction_id === null) throw ROLL_BACK;
    return text(row, "transaction_id");
  }

  /** Runs a transaction that holds the operation of an attempt. Returns `lost`, and does not call `work`, if another attempt has begun. */
  async function whileHeld<Result>(
    lease: Lease,
    chosen: TransactionOptions & { readonly signal?: AbortSignal },
    work: (tx: Tx, transactionId: string) => Promise<Result>,
  ): Promise<Result | "lost"> {
    let held = false;
    const workHeld = async (tx: Tx): Promise<Result> => {
      const transactionId = await hold(tx, lease);
      held = true;
      return work(tx, transactionId);
    };
    try {
      // A renewal that commits between the snapshot and the lock causes a conflict, which is safe to retry.
      return await retryConflicts(
        () => gateway.transaction(workHeld, chosen),
        () => !held,
      );
    } catch (error) {
      if (error === ROLL_BACK) return "lost";
      throw error;
    }
  }

  async function appendIn(tx: Tx, output: OutputAppend, transactionId: string): Promise<void> {
    const values = [...appendValues([output]), transactionId];
    const [row] = await gateway.callIn(tx, "append_in_v2", values).catch(refusedSettlement);
    if (row !== undefined) throw ROLL_BACK;
  }

  function tellOf(written: OutputAppend | undefined): void {
    if (written !== undefined && written.chunks.length > 0) appended.changed(written.lease.operationId);
  }

  return {
    record: (submission, create, signal) => {
      let called = false;
      const createOnce: typeof create = (tx) => {
        called = true;
        return create(tx);
      };
      const run = (): Promise<RecordResult> =>
        gateway.transaction((tx) => record(tx, submission, createOnce), { signal });
      return retryConflicts(run, () => !called);
    },
    settle: async (lease, work, { output = noOutput, ...chosen } = {}) => {
      let written: OutputAppend | undefined;
      const result = await whileHeld(lease, chosen, async (tx, transactionId) => {
        const settlement = await work(tx);
        written = output();
        if (written !== undefined) await appendIn(tx, written, transactionId);
        const values = settleValues([{ lease, settlement }], transactionId);
        const [row] = await gateway.callIn(tx, "settle_in_v1", values).catch(refusedSettlement);
        return toSettleResult(row, settlement);
      });
      if (result === "lost") return LOST;
      tellOf(written);
      changes.changed(lease.operationId);
      return result;
    },
    append: async (lease, work, chosen = {}) => {
      const written = await whileHeld(lease, chosen, async (tx, transactionId) => {
        const output = await work(tx);
        await appendIn(tx, output, transactionId);
        return output;
      });
      if (written === "lost") return written;
      tellOf(written);
      return "stored";
    },
    recordIn: (tx, submission, create) =>
      inTurn(tx, () => {
        if (create === undefined) return recordIn(tx, submission);
        return gateway.withSavepoint(tx, () => recordIn(tx, submission, create));
      }),
    recordManyIn: (tx, submissions) => inTurn(tx, () => recordManyIn(tx, submissions)),
  };
}

function noOutput(): undefined {}

/** Whether this call created the operation, not an earlier one with the same id. */
function isNew(row: Row | undefined): boolean {
  return row === undefined || row.outcome === "created";
}

/** Returns the error for a key that another transaction has locked while it creates a resource. */
function creationInProgress(): AsyncReplyError {
  const detail =
    "An earlier request with this Idempotency-Key is still creating the resource. Send the same request again.";
  return new AsyncReplyError("CREATION_IN_PROGRESS", detail);
}

/** Throws `INVALID_OPTION` if the user's function has ended the transaction. */
function refusedOutside(error: unknown): never {
  const cause = isAsyncReplyError(error) ? error.cause : undefined;
  throw codeOf(cause) === "25P01" ? transactionEnded(cause) : error;
}

/** Throws `INVALID_RESULT` if the database refuses the data. Otherwise, does the same as {@link refusedOutside}. */
function refusedSettlement(error: unknown): never {
  throw isAsyncReplyError(error) && error.code === "INTERNAL"
    ? settlementRefused(error.cause)
    : refusedOutside(error);
}

/** Throws `INVALID_OPTION` if no transaction is open on the caller's connection. */
function refuseEnded(error: unknown): never {
  throw causeOf(error) === "25P01" ? notInTransaction() : error;
}

/** Returns the SQLSTATE of an error of the gateway. */
function causeOf(error: unknown): string {
  return isAsyncReplyError(error) ? codeOf(error.cause) : "";
}

/** Returns the error for a transaction of a database without the schema that the pool has used before. */
function withoutSchema(): AsyncReplyError {
  return misuse(
    "Option `tx` is a transaction of a database that lacks the schema of this back end. Pass a transaction of the database of `pool`.",
  );
}

const ELSEWHERE = "elsewhere:";

/** Returns the mark of the database if it is not the one that `record_in_v1` was called for. */
function markElsewhere([row]: readonly Row[]): string | undefined {
  const outcome = String(row?.outcome);
  return outcome.startsWith(ELSEWHERE) ? outcome.slice(ELSEWHERE.length) : undefined;
}

function inOtherDatabase(other: string, own: string): string {
  return (
    `Option \`tx\` is a transaction of another database, ${other}, where no worker of this back end looks. Pass a transaction ` +
    `of ${own}, the database of \`pool\`, or create a back end for ${other}.`
  );
}

function keyIsHeld(error: unknown): never {
  throw isAsyncReplyError(error) && codeOf(error.cause) === "55P03" ? submissionInProgress() : error;
}

/**
 * Runs a transaction again after a conflict, as long as `mayRepeat` says that no user code has run. Above READ
 * COMMITTED, a transaction cannot read changes that were committed after it began, but a new transaction can.
 */
async function retryConflicts<T>(run: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === MAX_TRIES || !mayRepeat() || !isConflict(error)) throw error;
    }
  }
}
