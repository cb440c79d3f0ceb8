import { AsyncReplyError } from "../contract/errors.js";
import type { JsonText, Settlement } from "../contract/operation.js";
import type { ActionsStore } from "./actions-store.js";
import type {
  Abandoned,
  AbandonedRequest,
  IdempotencyStore,
  KeyBinding,
  KeyReference,
} from "./idempotency-store.js";
import type { MinutesStore } from "./minutes-store.js";
import type { Lease, OperationStore, SettleResult } from "./operation-store.js";
import type { AppendResult, OutputAppend, OutputStore } from "./output-store.js";
import type { Queue } from "./queue.js";
import type { SeparateOperationStore } from "./separate-operation-store.js";
import type { RecordManyResult, RecordResult, Submission } from "./submission.js";
import type { SynchronousTransactions } from "./synchronous.js";

/** How much a transaction sees of concurrent transactions, in SQL terms. */
export type IsolationLevel = "read committed" | "repeatable read" | "serializable";

/** How a transaction runs. */
export interface TransactionOptions {
  /** Isolation level. Default: the setting of the database or the role. */
  readonly isolation?: IsolationLevel | undefined;
}

/** Records keys together with their operations, and purges them together. */
export interface Submissions<Tx> {
  /**
   * Binds the key and creates the operation in one commit. Safe to repeat with the same operation id.
   *
   * Throws `SUBMISSION_IN_PROGRESS` if another transaction holds the key for longer than the store
   * waits.
   */
  record(submission: Submission): Promise<RecordResult>;
  /**
   * Records up to 1,000 submissions with different keys in one commit. Returns the result of each, in their order. A
   * submission that cannot be stored is `refused`, and so is one whose key another transaction holds for longer than the
   * store waits. The others are recorded. Safe to repeat with the same operation ids.
   *
   * Throws if the whole commit fails. Then none of them is recorded, unless the answer was lost.
   */
  recordMany(submissions: readonly Submission[]): Promise<readonly RecordManyResult[]>;
  /** Returns the operation that a key is bound to, or undefined. */
  findKey(reference: KeyReference): Promise<Pick<KeyBinding, "operationId" | "fingerprint"> | undefined>;
  /**
   * Gives up on a submission whose `record` has not settled, because its caller has timed out. For `recordMany`, one of its
   * submissions stands for all of them. Returns whether nothing
   * was sent to the database, so that nothing was or will be recorded. The caller can then say so. Default: unknown.
   */
  giveUp?(submission: Submission): boolean;
  /**
   * Deletes completed operations whose `retentionMs` has passed, and failed ones whose `failedRetentionMs` has, with their
   * keys and in one commit, the longest expired first. Returns how many it deleted. A redriven operation is kept until its
   * successor is gone, and is deleted then, unless its own time is not over.
   */
  purge(request: { readonly limit: number }): Promise<number>;
  /**
   * Ends submissions whose key was bound long ago and whose operation was never created: creates the operation as failed, with the
   * problem `abandoned`. Default: every key has an operation.
   */
  endAbandoned?(request: AbandonedRequest): Promise<Abandoned>;
  /** Shares the store's transactions with the user's own writes. */
  readonly transactions?: Transactions<Tx>;
  /** Shares them with synchronous functions only. Instead of `transactions`, if the client of the database is synchronous. */
  readonly synchronous?: SynchronousTransactions;
}

/**
 * Commits the user's writes together with the store's. The user's function runs at most once per call: never repeat
 * it.
 *
 * If the function throws, everything is rolled back and its error is rethrown unchanged. If `signal` is aborted while
 * the function runs, everything is rolled back, the call throws the reason without waiting for the function, and the
 * handle stops working. `STORE_UNAVAILABLE` can mean that the answer to the commit was lost. To find out, ask the
 * store again with the same lease or the same operation id.
 */
export interface Transactions<Tx> {
  /**
   * Records a submission and runs `create`, which makes its resource, in the same transaction. `created` means that
   * the operation is pending with that resource. If the key is bound, `create` does not run.
   *
   * Throws `CREATION_IN_PROGRESS` at once if another call with the same key is running its `create`,
   * and `SUBMISSION_IN_PROGRESS` if a transaction without a creation holds the key.
   */
  record(
    submission: Submission,
    create: (tx: Tx) => Promise<JsonText>,
    signal?: AbortSignal,
  ): Promise<RecordResult>;
  /**
   * Settles an attempt with the settlement that `work` returns, in one transaction. The first statement locks the
   * operation and checks the token; the last one settles. Until the transaction ends, the lock is the lease: no other
   * caller can begin, renew or cancel, and the lease cannot be lost. If another attempt has begun, or if the token has
   * already ended the operation, the result is `lost` and `work` does not run. So a second call never writes twice.
   *
   * If the store refuses only the progress of the settlement, settles without it. Throws `INVALID_RESULT` if it refuses
   * the rest. Everything is then rolled back.
   *
   * Calls `output` after `work`, and appends what it returns in the same transaction, before it settles.
   */
  settle(
    lease: Lease,
    work: (tx: Tx) => Promise<Settlement>,
    options?: TransactionOptions & {
      readonly signal?: AbortSignal;
      readonly output?: () => OutputAppend | undefined;
    },
  ): Promise<SettleResult>;
  /**
   * Appends what `work` returns to the output of an attempt, in one transaction. Locks and checks the operation like
   * `settle`, but the attempt goes on, so it can be called again. Default: `job.checkpoint` takes no function.
   *
   * Throws `INVALID_RESULT` if the store refuses the output. Everything is then rolled back.
   */
  append?(
    lease: Lease,
    work: (tx: Tx) => Promise<OutputAppend>,
    options?: TransactionOptions & { readonly signal?: AbortSignal },
  ): Promise<AppendResult>;
  /**
   * Records a submission within a transaction that the caller has open, and rings when that transaction
   * commits. The caller's transaction does not fail if the key is bound, if another transaction holds the key
   * (`SUBMISSION_IN_PROGRESS`), or if the operation cannot be stored. With `create`, the new operation is recorded
   * with the resource that `create` makes. If `create` throws, everything since the start of the call is rolled back
   * to a savepoint, and its error is rethrown.
   */
  recordIn(tx: Tx, submission: Submission, create?: (tx: Tx) => Promise<JsonText>): Promise<RecordResult>;
  /**
   * Records up to 1,000 submissions with different keys like `recordIn`, and returns the result of each, in their order.
   * A submission is refused as by {@link Submissions.recordMany}. Default: `recordIn`, one after the other.
   */
  recordManyIn?(tx: Tx, submissions: readonly Submission[]): Promise<readonly RecordManyResult[]>;
}

/**
 * Keeps everything of a service. To replace the queue, use `withQueue`. To use two stores that share no transaction, pass
 * {@link SeparateStores}.
 *
 * `Tx` is the type of the transaction handle, if the back end shares its transactions. If they are synchronous, it is
 * `Sync` of that type.
 */
export interface Backend<Tx = unknown> {
  /** Keeps operations. This store is the source of truth. */
  readonly operations: OperationStore;
  /** Records submissions in the store of operations. */
  readonly submissions: Submissions<Tx>;
  /** Keeps output and checkpoints. Without it, a service refuses definitions with `chunk` or `checkpoint`. */
  readonly output?: OutputStore;
  /** Keeps what processes count by minute. Without it, nothing is counted, and operators have no `series`. */
  readonly minutes?: MinutesStore;
  /** Keeps what operators did. Without it, that is only observed. */
  readonly actions?: ActionsStore;
  /** Wakes up workers. It may lose any message. */
  readonly queue: Queue;
  /**
   * Resolves if the back end can be used now. Workers call it when they start. It must be cheap enough for a readiness probe.
   *
   * Throws `INVALID_OPTION` for a mistake in the configuration, which waiting does not mend, such as a wrong password
   * or a table that does not exist. Throws `STORE_UNAVAILABLE` if the store merely cannot be reached. The `detail` of both says
   * what is wrong, what is expected and what to do next, without passwords. The `cause` is the error of the database or the network.
   */
  check(): Promise<void>;
  /** Releases everything that the back end opened itself. */
  close(): Promise<void>;
}

/** Stores that share no transaction, and a queue: see `composeStores`. */
export interface SeparateStores {
  /** Keeps operations. This store is the source of truth. */
  readonly operations: SeparateOperationStore;
  /** Records which idempotency key belongs to which operation. */
  readonly idempotency: IdempotencyStore;
  /** Keeps output and checkpoints of these operations. Default: none. */
  readonly output?: OutputStore;
  /** Keeps what processes count by minute. Default: nothing is counted. */
  readonly minutes?: MinutesStore;
  /** Keeps what operators did. Default: that is only observed. */
  readonly actions?: ActionsStore;
  /** Wakes up workers. It may lose any message. */
  readonly queue: Queue;
  /** See {@link Backend.check}. Default: does nothing. */
  check?(): Promise<void>;
  /** Releases everything that the stores opened themselves. Default: closes the queue. */
  close?(): Promise<void>;
}

/**
 * Returns the transactions of a back end.
 *
 * Throws `NO_TRANSACTIONS`.
 */
export function sharedTransactions<Tx>(backend: Backend<Tx>): Transactions<Tx> {
  const { transactions, synchronous } = backend.submissions;
  if (transactions !== undefined) return transactions;
  if (synchronous === undefined) throw noTransactions();
  throw new AsyncReplyError(
    "NO_TRANSACTIONS",
    "The transactions of this back end are synchronous. Instead of passing `tx`, call `service.prepare` first, and then " +
      "`record` of its result in your transaction.",
  );
}

/**
 * Returns the synchronous transactions of a back end.
 *
 * Throws `NO_TRANSACTIONS`.
 */
export function synchronousTransactions(backend: Backend): SynchronousTransactions {
  const { transactions, synchronous } = backend.submissions;
  if (synchronous !== undefined) return synchronous;
  if (transactions === undefined) throw noTransactions();
  throw new AsyncReplyError(
    "NO_TRANSACTIONS",
    "The transactions of this back end are asynchronous. Call `service.submit` with your transaction as `tx`.",
  );
}

function noTransactions(): AsyncReplyError {
  return new AsyncReplyError(
    "NO_TRANSACTIONS",
    "This back end shares no transactions. Use one that does, such as `createPostgresBackend({ pool })`.",
  );
}
