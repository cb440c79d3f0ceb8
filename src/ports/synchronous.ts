import type { Settlement } from "../contract/operation.js";
import type { Lease, SettleResult } from "./operation-store.js";
import type { AppendResult, OutputAppend } from "./output-store.js";
import type { RecordResult, Submission } from "./submission.js";

declare const HANDLE: unique symbol;

/**
 * As the `Tx` of a back end: its transactions are synchronous, and `Handle` is the type of their handle. Exists only in
 * types.
 */
export interface Sync<Handle> {
  /** The handle. No object has this member. */
  readonly [HANDLE]: Handle;
}

/** Handle type of synchronous transactions. It is `never` if the transactions of `Tx` are asynchronous. */
export type SyncHandle<Tx> = [Tx] extends [never]
  ? never
  : [Tx] extends [Sync<infer Handle>]
    ? Handle
    : never;

/** Handle type of asynchronous transactions. It is `never` if the transactions of `Tx` are synchronous. */
export type AsyncHandle<Tx> = [Tx] extends [never] ? never : [Tx] extends [Sync<unknown>] ? never : Tx;

/** A submission that is ready to be recorded in a transaction that the caller opens. */
export interface PreparedRecord {
  /**
   * Records the submission in an open transaction. Can be called again. If the transaction is rolled back, nothing is
   * recorded. If the call throws, it has changed nothing, and the caller's transaction stays usable unless the database
   * itself ended it.
   *
   * Throws `INVALID_OPTION` if the handle has no open transaction or belongs to another database. Throws
   * `STORE_UNAVAILABLE` if another connection is writing.
   */
  record(handle: unknown): RecordResult;
}

/**
 * Commits the user's writes together with the store's, for databases whose clients are synchronous. A transaction
 * begins and ends within one turn of the event loop. The user's function runs at most once per call: never repeat it.
 *
 * The type of the handle is in the `Tx` of the back end: see {@link Sync}.
 */
export interface SynchronousTransactions {
  /**
   * Settles an attempt with the settlement that `work` returns, in one transaction. Waits without blocking until the
   * database can be written. Then begins, checks the token, calls `work`, settles and commits, and nothing else runs in
   * between. If another attempt has begun, or if the token has already ended the operation, the result is `lost` and
   * `work` does not run. If `work` throws, everything is rolled back and its error is rethrown unchanged. A settlement that
   * the store refuses has the same effect as in `Transactions.settle`.
   *
   * Throws the reason of `signal` if it is aborted before `work` is called. Throws `INVALID_OPTION` if `work` has ended
   * the transaction itself. `STORE_UNAVAILABLE` can mean that the commit succeeded, unless the error says otherwise. To
   * find out, ask the store again with the same lease.
   *
   * Calls `output` after `work`, and appends what it returns in the same transaction, before it settles.
   */
  settle(
    lease: Lease,
    work: (handle: unknown) => Settlement,
    options?: { readonly signal?: AbortSignal; readonly output?: () => OutputAppend | undefined },
  ): Promise<SettleResult>;
  /**
   * Appends what `work` returns to the output of an attempt, in one transaction. Otherwise like `settle`, but the attempt
   * goes on, so it can be called again. Default: `job.checkpoint` takes no function.
   */
  append?(
    lease: Lease,
    work: (handle: unknown) => OutputAppend,
    options?: { readonly signal?: AbortSignal },
  ): Promise<AppendResult>;
  /** Does everything asynchronous that recording a submission needs. Records nothing. */
  prepare(submission: Submission): Promise<PreparedRecord>;
}
