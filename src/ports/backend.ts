import { type AwaitUsing, awaitUsing } from "../contract/await-using.js";
import { AsyncReplyError } from "../contract/errors.js";
import type { JsonText, Settlement } from "../contract/operation.js";
import { invalidOption, isObject, kindOf, misuse } from "../contract/options.js";
import type { IdempotencyStore } from "./idempotency-store.js";
import type { Lease, OperationStore, SettleResult } from "./operation-store.js";
import type { Queue } from "./queue.js";
import type { RecordManyResult, RecordResult, Submission } from "./submission.js";
import type { SynchronousTransactions } from "./synchronous.js";

/** How much a transaction sees of concurrent transactions, in SQL terms. */
export type IsolationLevel = "read committed" | "repeatable read" | "serializable";

/** How a transaction runs. */
export interface TransactionOptions {
  /** Isolation level. Default: the setting of the database or the role. */
  readonly isolation?: IsolationLevel | undefined;
}

/** Atomic steps over both stores, for a back end whose stores share a transaction: see {@link Backend.submissions}. */
export interface Submissions<Tx> {
  /** Store in which `record` creates operations. These submissions are only used together with this store. */
  readonly operations: OperationStore;
  /** Store in which `record` binds keys. These submissions are only used together with this store. */
  readonly idempotency: IdempotencyStore;
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
  /**
   * Gives up on a submission whose `record` has not settled, because its caller has timed out. For `recordMany`, one of its
   * submissions stands for all of them. Returns whether nothing
   * was sent to the database, so that nothing was or will be recorded. The caller can then say so. Default: unknown.
   */
  giveUp?(submission: Submission): boolean;
  /**
   * Deletes the operations that {@link OperationStore.takeExpired} would hand out, and their keys, in one commit.
   * Returns how many it deleted.
   */
  purge(request: { readonly limit: number }): Promise<number>;
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
   */
  settle(
    lease: Lease,
    work: (tx: Tx) => Promise<Settlement>,
    options?: TransactionOptions & { readonly signal?: AbortSignal },
  ): Promise<SettleResult>;
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
 * Stores and queue of a service. To replace a part, use `withQueue` or `withStores`.
 *
 * `Tx` is the type of the transaction handle, if the back end shares its transactions. If they are synchronous, it is
 * `Sync` of that type.
 */
export interface Backend<Tx = unknown> {
  /** Keeps operations. This store is the source of truth. */
  readonly operations: OperationStore;
  /** Records which idempotency key belongs to which operation. */
  readonly idempotency: IdempotencyStore;
  /** Wakes up workers. It may lose any message. */
  readonly queue: Queue;
  /** Only used if it covers exactly the two stores of this back end, so replacing either store drops it. */
  readonly submissions?: Submissions<Tx>;
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

/** Methods that every part has. */
const METHODS = {
  operations: [
    ...([
      "create",
      "get",
      "claim",
      "renew",
      "settle",
      "requestCancel",
      "takeExpired",
      "endOverdue",
      "remove",
    ] as const),
    ...(["getMany", "list", "stats", "countPending", "redrive", "pause", "resume"] as const),
  ],
  idempotency: ["bind", "find", "release", "takeStale"],
  queue: ["publish", "listen", "close"],
} as const satisfies {
  readonly [Part in "operations" | "idempotency" | "queue"]: readonly (keyof Backend[Part])[];
};

/**
 * Checks that a value is a back end, and that its parts have the methods that every part has.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkBackend(backend: unknown): void {
  const { operations, idempotency, queue } = isObject(backend) ? (backend as Partial<Backend>) : {};
  if (!isObject(operations) || !isObject(idempotency) || !isObject(queue)) {
    const expected = "a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`";
    throw invalidOption("backend", expected, backend);
  }
  const parts: Readonly<Record<string, object>> = { operations, idempotency, queue };
  for (const [part, methods] of Object.entries(METHODS)) checkMethods(part, parts[part] as object, methods);
  if (Array.isArray(operations.keeps)) return;
  throw misuse(
    'The member `operations` of the back end has no list `keeps`. Say what it keeps, such as `keeps: ["limits"]`, or `keeps: []`.',
  );
}

function checkMethods(part: string, given: object, methods: readonly string[]): void {
  const missing = methods.find(
    (name) => typeof (given as Readonly<Record<string, unknown>>)[name] !== "function",
  );
  if (missing === undefined) return;
  throw misuse(
    `The member \`${part}\` of the back end has no method \`${missing}\`. Add it: docs/writing-a-back-end.md says what it does.`,
  );
}

/**
 * Returns a back end with another queue. Key and operation are still recorded in one step, and transactions still work. Workers
 * also listen to the back end's own queue, which rings for what is recorded in your transactions. `close` closes the new queue and
 * the back end.
 *
 * Throws `INVALID_OPTION` if an argument is missing.
 */
export function withQueue<Tx>(backend: Backend<Tx>, queue: Queue): Backend<Tx> & AwaitUsing {
  checkBackend(backend);
  checkQueue(queue);
  const { operations, idempotency, submissions, queue: own } = backend;
  return {
    operations,
    idempotency,
    queue: {
      publish: (rings) => queue.publish(rings),
      listen: listenToBoth(queue, own),
      close: () => queue.close(),
    },
    ...(submissions === undefined ? {} : { submissions }),
    check: () => backend.check(),
    close: async () => {
      try {
        await queue.close();
      } finally {
        await backend.close();
      }
    },
    ...awaitUsing(),
  };
}

function listenToBoth(...queues: readonly Queue[]): Queue["listen"] {
  return (listener) => {
    const all = queues.map((queue) => queue.listen(listener));
    return {
      want: (definitions) => {
        for (const listening of all) listening.want(definitions);
      },
      close: async () => void (await Promise.all(all.map((listening) => listening.close()))),
    };
  };
}

/** The value is not quoted, because an address can contain a password. */
function checkQueue(value: unknown): void {
  const { publish, listen, close } = isObject(value) ? (value as Partial<Queue>) : {};
  if ([publish, listen, close].every((method) => typeof method === "function")) return;
  throw misuse(
    `The second argument of \`withQueue\` must be a queue, such as \`createNatsQueue({ jetstream })\`, not ${kindOf(value)}.`,
  );
}

/**
 * Returns a back end with one or both stores replaced. Key and operation are then recorded one after the other instead
 * of in one step, and transactions are not shared. `close` closes the back end; stores have nothing to close.
 */
export function withStores(
  backend: Backend,
  stores: { readonly operations?: OperationStore; readonly idempotency?: IdempotencyStore },
): Backend<never> & AwaitUsing {
  return {
    operations: stores.operations ?? backend.operations,
    idempotency: stores.idempotency ?? backend.idempotency,
    queue: backend.queue,
    check: () => backend.check(),
    close: () => backend.close(),
    ...awaitUsing(),
  };
}

/** Returns the atomic steps of a back end if they cover exactly its two stores. */
export function atomicSubmissions<Tx>(backend: Backend<Tx>): Submissions<Tx> | undefined {
  const { submissions, operations, idempotency } = backend;
  const own = submissions?.operations === operations && submissions.idempotency === idempotency;
  return own ? submissions : undefined;
}

/**
 * Returns the transactions of a back end.
 *
 * Throws `NO_TRANSACTIONS`.
 */
export function sharedTransactions<Tx>(backend: Backend<Tx>): Transactions<Tx> {
  const { transactions, synchronous } = atomicSubmissions(backend) ?? {};
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
  const { transactions, synchronous } = atomicSubmissions(backend) ?? {};
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
    "This back end shares no transactions. Use one that does, such as `createPostgresBackend({ pool })`, without " +
      "`withStores`.",
  );
}
