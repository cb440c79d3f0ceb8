import type { TransactionOptions } from "../../ports/backend.js";

/**
 * Runs a function in a transaction: see {@link Job.transaction}. If the type of the back end says that it shares none,
 * there is nothing to call.
 */
export type RunInTransaction<Tx> = [Tx] extends [never]
  ? never
  : <Result>(work: (tx: Tx) => Result | Promise<Result>, options?: TransactionOptions) => Promise<Result>;

/**
 * A processor's handle on its attempt. `Report` is what the definition takes as progress, `Tx` the handle of the back end's
 * transactions.
 */
export interface Job<Report = unknown, Tx = unknown> {
  /** The id of the operation. The same on every attempt: the idempotency key for effects of your own. */
  readonly operationId: string;
  /** On whose behalf: the tenant of the principal that submitted it. */
  readonly tenant: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Aborted when nobody wants the result any more: the lease was lost, the time limit passed, a client cancelled, or
   * the worker stops. The reason is an AsyncReplyError that tells which.
   */
  readonly signal: AbortSignal;
  /**
   * Shows clients how far the work is. Written with the next renewal of the lease, which this brings forward.
   *
   * The value must be representable as JSON: see {@link Processor}.
   *
   * @throws AsyncReplyError `INVALID_RESULT` if JSON cannot represent the value, if it exceeds `maxResultBytes`, or if the
   * progress schema refuses it or is asynchronous
   */
  progress(value: Report): void;
  /**
   * Runs a function in a transaction of the back end that also completes the operation, with what the function returns: its
   * writes are there if and only if this attempt has completed the operation. Once it has committed the attempt is over:
   * what the processor returns or throws afterwards changes nothing.
   *
   * When the function throws, its writes are rolled back and the error comes out of here as it is; so they are when the
   * attempt is interrupted. The transaction holds a connection while the function runs. It may be called once in an attempt.
   *
   * The transaction locks the operation first. Until it ends, the lock is the lease: no other attempt can begin, progress
   * waits, and a client that cancels gets a 503. It works at every isolation level; choose one with `isolation`, because
   * `set transaction` comes too late.
   *
   * Await it, or return its promise. If the processor returns while it is open, it is rolled back and the attempt fails with
   * `TRANSACTION_NOT_AWAITED`.
   *
   * @throws AsyncReplyError `LEASE_LOST` if another attempt has begun; the function does not run then. `INVALID_RESULT` if the
   * result cannot be stored; everything is rolled back. `STORE_UNAVAILABLE` if the store did not answer: let it leave the
   * processor, and the worker finds out whether the commit has landed. `TRANSACTION_USED` if it is called again.
   * `NO_TRANSACTIONS` if the back end shares none.
   */
  readonly transaction: RunInTransaction<Tx>;
}

/**
 * Does the work. Runs at least once: after a crash or a lost lease it runs again, so that effects should be idempotent by
 * `job.operationId`. Returning completes the operation, `permanentFailure` fails it, `retryLater` is tried again at
 * that time, and anything else thrown is tried again after the backoff.
 *
 * The result must be JSON: plain objects, arrays, strings, finite numbers, booleans, `null`, and objects with a `toJSON`
 * method that returns these, such as a `Date`. Members of plain objects that are `undefined` are dropped. Anything else, such
 * as a `Map`, another class instance or an `undefined` item of an array, fails the operation as `invalid-result`.
 */
export type Processor<Input, Result = unknown, Report = unknown, Tx = unknown> = (
  input: Input,
  job: Job<Report, Tx>,
) => Result | Promise<Result>;
