import { AsyncReplyError } from "../core/errors.js";
import type { JsonText, NewOperation, Operation, Settlement } from "../core/operation.js";
import type { IdempotencyStore } from "./idempotency-store.js";
import type { InitialState, Lease, OperationStore, SettleResult } from "./operation-store.js";
import type { Queue } from "./queue.js";

/** One accepted request, ready to be recorded. */
export interface Submission {
  /** What is created unless its key is bound. Without a key it is always created. */
  readonly operation: NewOperation;
  /** Of the payload; used where the operation has a key. */
  readonly fingerprint: string;
  /** Where its resource is created before the reply; else it is `pending` and due at once. */
  readonly initial?: Extract<InitialState, { readonly state: "preparing" }>;
}

/** What became of a submission: a new operation, or that of an earlier one with its key. */
export type RecordResult =
  /** By this call, or by an earlier one with the same operation id whose answer was lost. */
  | { readonly outcome: "created" }
  /** The key is bound: this is its operation. */
  | { readonly outcome: "exists"; readonly operation: Operation; readonly fingerprint: string };

/** What a back end whose stores share a transaction can promise beyond them: see {@link Backend.submissions}. */
export interface Submissions<Tx> {
  /** The store in which `record` creates. It is used only beside this very one. */
  readonly operations: OperationStore;
  /** The store in which `record` claims. It is used only beside this very one. */
  readonly idempotency: IdempotencyStore;
  /** Claims the key and creates the operation in one commit. May be repeated with the same operation id. */
  record(submission: Submission): Promise<RecordResult>;
  /** Forgets terminal operations and their keys in one commit; returns how many there were. */
  purge(request: { readonly retentionMs: number; readonly limit: number }): Promise<number>;
  /** Shares the store's transactions with the user's own writes. */
  readonly transactions?: Transactions<Tx>;
}

/**
 * The user's writes and the contract's in one commit. The user's function runs once: nothing here is repeated.
 *
 * What the function throws comes as it is, and everything is rolled back. So it is, with the reason and without waiting for
 * the function any longer, when `signal` is aborted while it runs; its handle is of no use then. `STORE_UNAVAILABLE` can mean that the answer
 * to the commit was lost: then the store tells, asked by the same lease or the same operation id.
 */
export interface Transactions<Tx> {
  /**
   * Records a submission whose resource `create` makes within the transaction: `created` means that the operation is
   * pending with that resource. `create` does not run where the key is bound. While one is at it, others with its key get
   * `CREATION_IN_PROGRESS` at once.
   */
  record(
    submission: Submission,
    create: (tx: Tx) => Promise<JsonText>,
    signal?: AbortSignal,
  ): Promise<RecordResult>;
  /**
   * Settles an attempt with what `work` returns, as the last statement. `lost`, and everything rolled back, where the token
   * is not the current one, or has ended the operation before: a second call never writes a second time.
   */
  settle(lease: Lease, work: (tx: Tx) => Promise<Settlement>, signal?: AbortSignal): Promise<SettleResult>;
  /**
   * Records a submission within a transaction that the caller has open, and announces it when that commits. Neither a key
   * that is bound, nor one that another transaction holds (`CREATION_IN_PROGRESS`), nor an operation that cannot be kept
   * makes the caller's transaction fail.
   */
  recordIn(tx: Tx, submission: Submission): Promise<RecordResult>;
}

/**
 * Where a service keeps and announces its operations. Any port can be replaced: `{ ...backend, queue }`.
 *
 * `Tx` is the handle of the store's transactions, where it shares them.
 */
export interface Backend<Tx = unknown> {
  /** Keeps operations: the truth. */
  readonly operations: OperationStore;
  /** Keeps which key belongs to which operation. */
  readonly idempotency: IdempotencyStore;
  /** Wakes workers, and may lose everything. */
  readonly queue: Queue;
  /** Used only while it spans the very stores of this back end, so that replacing one of them drops it. */
  readonly submissions?: Submissions<Tx>;
  /** Frees what the back end opened itself. */
  close(): Promise<void>;
}

/** The atomic steps of a back end, if they span the stores that it is used with. */
export function atomicSubmissions<Tx>(backend: Backend<Tx>): Submissions<Tx> | undefined {
  const { submissions, operations, idempotency } = backend;
  const own = submissions?.operations === operations && submissions.idempotency === idempotency;
  return own ? submissions : undefined;
}

/**
 * The transactions of a back end, for a caller who cannot do without.
 *
 * @throws AsyncReplyError `NO_TRANSACTIONS`
 */
export function sharedTransactions<Tx>(backend: Backend<Tx>): Transactions<Tx> {
  const transactions = atomicSubmissions(backend)?.transactions;
  if (transactions !== undefined) return transactions;
  throw new AsyncReplyError(
    "NO_TRANSACTIONS",
    "This needs a back end that shares its transactions, as Postgres does with both of its own stores.",
  );
}
