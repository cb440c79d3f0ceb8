import { AsyncReplyError } from "../contract/errors.js";
import type { JsonText, NewOperation, Operation, Settlement } from "../contract/operation.js";
import { invalidOption, isObject } from "../contract/options.js";
import type { IdempotencyStore } from "./idempotency-store.js";
import type { InitialState, Lease, OperationStore, SettleResult } from "./operation-store.js";
import type { Queue } from "./queue.js";

/** How much a transaction sees of others that run beside it, in the words of SQL. */
export type IsolationLevel = "read committed" | "repeatable read" | "serializable";

/** How a transaction runs. */
export interface TransactionOptions {
  /** Isolation level. Default: what the database or the role sets. */
  readonly isolation?: IsolationLevel | undefined;
}

/** One accepted request, ready to be recorded. */
export interface Submission {
  /** What is created unless its key is bound. Without a key it is always created. */
  readonly operation: NewOperation;
  /** Names the payload. Used if the operation has a key. Stores only compare fingerprints for equality. */
  readonly fingerprint: string;
  /** Where its resource is created before the reply; else it is `pending` and due at once. */
  readonly initial?: Extract<InitialState, { readonly state: "preparing" }>;
}

/** What became of a submission: a new operation, or that of an earlier one with its key. */
export type RecordResult =
  /** By this call, or by an earlier one with the same operation id whose answer was lost. */
  | { readonly outcome: "created" }
  /** The key is bound: this is its operation, and the fingerprint that it was recorded with. */
  | { readonly outcome: "exists"; readonly operation: Operation; readonly fingerprint: string }
  /** The key is claimed with another fingerprint, which is returned, and the operation does not exist yet. */
  | { readonly outcome: "in-progress"; readonly fingerprint: string };

/** What a back end whose stores share a transaction can promise beyond them: see {@link Backend.submissions}. */
export interface Submissions<Tx> {
  /** The store in which `record` creates. It is used only beside this very one. */
  readonly operations: OperationStore;
  /** The store in which `record` claims. It is used only beside this very one. */
  readonly idempotency: IdempotencyStore;
  /**
   * Claims the key and creates the operation in one commit. May be repeated with the same operation id.
   *
   * Rejects with `SUBMISSION_IN_PROGRESS` if another transaction holds the key for longer than the store waits.
   */
  record(submission: Submission): Promise<RecordResult>;
  /** Deletes terminal operations whose `retentionMs` has passed, and their keys, in one commit. Returns their number. */
  purge(request: { readonly limit: number }): Promise<number>;
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
   * `CREATION_IN_PROGRESS` at once. `SUBMISSION_IN_PROGRESS` means that a transaction without a creation holds the key.
   */
  record(
    submission: Submission,
    create: (tx: Tx) => Promise<JsonText>,
    signal?: AbortSignal,
  ): Promise<RecordResult>;
  /**
   * Settles an attempt with what `work` returns, in one transaction. The first statement locks the operation and checks the
   * token, the last one settles. Until the transaction ends, the lock is the lease: nobody else can begin, renew or cancel,
   * and the lease cannot be lost. If another attempt has begun, or the token has ended the operation before, the result is
   * `lost` and `work` does not run, so a second call never writes a second time.
   */
  settle(
    lease: Lease,
    work: (tx: Tx) => Promise<Settlement>,
    options?: TransactionOptions & { readonly signal?: AbortSignal },
  ): Promise<SettleResult>;
  /**
   * Records a submission within a transaction that the caller has open, and announces it when that commits. Neither a key
   * that is bound, nor one that another transaction holds (`SUBMISSION_IN_PROGRESS`), nor an operation that cannot be kept
   * makes the caller's transaction fail. With `create`, the new operation is recorded with the resource that it makes. What
   * `create` throws is thrown here, and everything since the beginning of the call is rolled back, to a savepoint.
   */
  recordIn(tx: Tx, submission: Submission, create?: (tx: Tx) => Promise<JsonText>): Promise<RecordResult>;
}

/**
 * Where a service keeps and announces its operations. To replace a part, use `withQueue` or `withStores`.
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
  /**
   * Resolves if the back end can be used now. Workers call it when they start. It must be cheap enough for a readiness probe.
   *
   * Throws AsyncReplyError `INVALID_OPTION` for a mistake in the configuration, which waiting does not mend, such as a wrong password
   * or a table that does not exist. Throws `STORE_UNAVAILABLE` if the store merely cannot be reached. The `detail` of both says
   * what is wrong, what is expected and what to do next, without passwords. The `cause` is the error of the database or the network.
   */
  check(): Promise<void>;
  /** Frees what the back end opened itself. */
  close(): Promise<void>;
}

/**
 * Checks that a value is a back end.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, saying what to pass
 */
export function checkBackend(backend: unknown): void {
  const { operations, idempotency, queue } = isObject(backend) ? (backend as Partial<Backend>) : {};
  if (isObject(operations) && isObject(idempotency) && isObject(queue)) return;
  const expected = "a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`";
  throw invalidOption("backend", expected, backend);
}

/**
 * Replaces the queue of a back end. Key and operation are still recorded in one step, and transactions still work. `close`
 * closes the new queue and the back end.
 */
export function withQueue<Tx>(backend: Backend<Tx>, queue: Queue): Backend<Tx> {
  const { operations, idempotency, submissions } = backend;
  return {
    operations,
    idempotency,
    queue,
    ...(submissions === undefined ? {} : { submissions }),
    check: () => backend.check(),
    close: async () => {
      try {
        await queue.close();
      } finally {
        await backend.close();
      }
    },
  };
}

/**
 * Replaces one store of a back end, or both. Key and operation are then recorded one after the other instead of in one step,
 * and there are no transactions to share. `close` closes the back end; stores have nothing to close.
 */
export function withStores(
  backend: Backend,
  stores: { readonly operations?: OperationStore; readonly idempotency?: IdempotencyStore },
): Backend<never> {
  return {
    operations: stores.operations ?? backend.operations,
    idempotency: stores.idempotency ?? backend.idempotency,
    queue: backend.queue,
    check: () => backend.check(),
    close: () => backend.close(),
  };
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
