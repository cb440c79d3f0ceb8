import type { TransactionOptions } from "../../ports/backend.js";
import type { Sync } from "../../ports/synchronous.js";

/**
 * Type of {@link Job.transaction}. It is `never` if the back end, by its type, shares no transactions. If they are
 * synchronous, a function that returns a promise does not compile.
 */
export type RunInTransaction<Tx> = [Tx] extends [never]
  ? never
  : [Tx] extends [Sync<infer Handle>]
    ? RunSynchronously<Handle>
    : RunAsynchronously<Tx>;

/** Runs a function that may be asynchronous in a transaction. */
export type RunAsynchronously<Tx> = <Result>(
  work: (tx: Tx) => Result | Promise<Result>,
  options?: TransactionOptions,
) => Promise<Result>;

/**
 * Runs a synchronous function in a transaction. There are two signatures, because TypeScript then lets a processor for
 * any back end use this one too.
 */
export interface RunSynchronously<Handle> {
  /** Runs a function in a transaction. */
  <Result>(work: (handle: Handle) => NotAPromise<Result>): Promise<Result>;
  /** Runs a function in a transaction. These transactions are always serializable. */
  <Result>(work: (handle: Handle) => NotAPromise<Result>, options: TransactionOptions): Promise<Result>;
}

/** The type itself, unless it is a promise. */
export type NotAPromise<Result> = Result extends PromiseLike<unknown> ? MustBeSynchronous : Result;

/** Stands for a promise that is refused, so that its name appears in the message of the compiler. */
export interface MustBeSynchronous {
  /** No object has this member. */
  readonly "The function of this transaction must be synchronous.": never;
}

/**
 * A processor's handle on its attempt. `Report` is the type of the definition's progress, and `Tx` the type of the
 * back end's transaction handle.
 */
export interface Job<Report = unknown, Tx = unknown> {
  /**
   * Id of the operation. It is the same on every attempt, so use it as the idempotency key for your own side effects.
   */
  readonly operationId: string;
  /** Tenant of the principal that submitted the operation. */
  readonly tenant: string;
  /**
   * Id of the principal who submitted the operation, to check in the work what that principal may do. It is never a
   * credential. `undefined` if your code submitted the operation and named no principal.
   */
  readonly principal: string | undefined;
  /** Number of this attempt. The first attempt is 1. */
  readonly attempt: number;
  /**
   * Aborted when the result is no longer wanted: the lease was lost, the attempt exceeded `attemptTimeoutMs`, the
   * operation was cancelled, or the worker is stopping. The reason is an AsyncReplyError with the code `LEASE_LOST`,
   * `ATTEMPT_TIMEOUT`, `CANCELLED` or `WORKER_STOPPED`. A cancellation arrives within milliseconds if the worker was
   * started with `start()`, and with the next lease renewal in `runUntilIdle()`.
   */
  readonly signal: AbortSignal;
  /**
   * Reports progress to clients. It is written at once, or 250 ms after the previous write. If values come faster, the
   * latest one is written. The last one before the end of the attempt is never lost.
   *
   * The value must be JSON: see {@link Processor}. If JSON cannot represent it, if it exceeds `maxResultBytes`, or if the
   * progress schema refuses it, it is dropped, and the work goes on. The first such value of an attempt is reported as
   * `progress.dropped`.
   *
   * Throws `INVALID_RESULT` if the progress schema is asynchronous.
   */
  progress(value: Report): void;
  /**
   * Runs a function in a transaction of the back end. The same transaction completes the operation with the function's
   * return value: the writes and the completion are committed together, or not at all, and with them the chunks that are not
   * stored yet. After the commit the attempt is
   * over, and nothing that the processor returns or throws afterwards has an effect.
   *
   * If the function throws, its writes are rolled back and its error is rethrown unchanged. If the attempt is
   * interrupted, the writes are rolled back too. The transaction holds a connection while the function runs. Call it
   * at most once per attempt.
   *
   * The transaction locks the operation first. Until it ends, the lock is the lease: no other attempt can begin,
   * progress waits, and a client that cancels gets a 503. It works at every isolation level. Choose one with
   * `isolation`, because `set transaction` inside the function comes too late.
   *
   * Await the call, or return its promise. If the processor returns while the transaction is open, the transaction is
   * rolled back and the attempt fails with `TRANSACTION_NOT_AWAITED`.
   *
   * On SQLite, the function must be synchronous, and so must the result schema. Other calls wait while it runs, so a
   * client that cancels gets its answer afterwards.
   *
   * Throws `LEASE_LOST` if another attempt has begun; the function does not run. `INVALID_OPTION` if the function has
   * ended the transaction; the operation is not completed. `INVALID_RESULT` if the result cannot be stored; everything
   * is rolled back. `STORE_UNAVAILABLE` if the store did not answer: do not catch it, so that the worker can find out
   * whether the commit succeeded. `TRANSACTION_USED` if it is called a second time. `NO_TRANSACTIONS` if the back end
   * shares no transactions, or if they are synchronous and the function returns a promise.
   */
  readonly transaction: RunInTransaction<Tx>;
  /**
   * Gives the operation back without counting the attempt, for work that finds that it is not its turn: a lock is taken, or
   * a quota elsewhere is used up. It is due again after `afterMs`, and any worker may take it.
   *
   * It never returns: it throws an error that must leave the processor, so do not catch it, or rethrow it. Write
   * `return job.release()`, and TypeScript knows that the code below does not run. In the function of `job.transaction`, it
   * rolls the transaction back. After the commit it has no effect. An operation that is being cancelled fails as cancelled.
   *
   * Throws `INVALID_OPTION` if `afterMs` is wrong. That counts as an ordinary failure of the attempt.
   *
   * @param options.afterMs Time until the operation is due again. Milliseconds, from 2,000 to 24.8 days. Default: 2 s.
   */
  release(options?: { readonly afterMs?: number }): never;
}

/**
 * Does the work of an operation. `Members` are further members of its job: see `JobOf`. It runs at least once: after a crash or a lost lease it runs again, so make its side
 * effects idempotent by `job.operationId`. If it returns, the operation completes. If it throws `permanentFailure`,
 * the operation fails. If it throws `retryLater`, the work is retried at that time. `job.release` gives the
 * operation back without counting the attempt. Any other error is retried with backoff.
 *
 * The result must be JSON: plain objects, arrays, strings, finite numbers, booleans, `null`, and objects with a
 * `toJSON` method that returns these, such as a `Date`. Members of plain objects that are `undefined` are dropped. Any
 * other value, such as a `Map`, another class instance or an `undefined` item of an array, fails the operation with
 * the problem `invalid-result`.
 */
export type Processor<Input, Result = unknown, Report = unknown, Tx = unknown, Members = unknown> = (
  input: Input,
  job: Job<Report, Tx> & Members,
) => Result | Promise<Result>;
