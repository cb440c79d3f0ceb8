/**
 * Runs a function in a transaction: see {@link Job.transaction}. Where the type of the back end says that it shares none,
 * there is nothing to call.
 */
export type RunInTransaction<Tx> = [Tx] extends [never]
  ? never
  : <Result>(work: (tx: Tx) => Result | Promise<Result>) => Promise<Result>;

/** A processor's handle on its attempt. `Tx` is the handle of the back end's transactions. */
export interface Job<Tx = unknown> {
  /** The id of the operation. The same on every attempt: the idempotency key for effects of your own. */
  readonly operationId: string;
  /** On whose behalf: the scope of the principal that submitted it. */
  readonly scope: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Aborted when nobody wants the result any more: the lease was lost, the time limit passed, a client cancelled, or
   * the worker stops. The reason is an AsyncReplyError that tells which.
   */
  readonly signal: AbortSignal;
  /** Shows clients how far the work is. Written with the next renewal of the lease, which this brings forward. */
  progress(value: unknown): void;
  /**
   * Runs a function in a transaction of the back end that also completes the operation, with what the function returns: its
   * writes are there if and only if this attempt has completed the operation. Once it has committed the attempt is over:
   * what the processor returns or throws afterwards changes nothing.
   *
   * When the function throws, its writes are rolled back and the error comes out of here as it is; so they are when the
   * attempt is interrupted. The transaction holds a connection while the function runs. It may be called once in an attempt.
   *
   * @throws AsyncReplyError `LEASE_LOST` when the operation is somebody else's by now, `INVALID_RESULT` when what was returned
   * cannot be kept, and after both everything is rolled back; `STORE_UNAVAILABLE` when the store did not answer: let it leave
   * the processor, and the worker finds out whether the commit has landed; `TRANSACTION_USED` when it is called again;
   * `NO_TRANSACTIONS` where the back end shares none
   */
  readonly transaction: RunInTransaction<Tx>;
}

/**
 * Does the work. Runs at least once: after a crash or a lost lease it runs again, so that effects should be idempotent by
 * `job.operationId`. Returning completes the operation, `permanentFailure` fails it, anything else thrown is tried again.
 */
export type Processor<Input, Result = unknown, Tx = unknown> = (
  input: Input,
  job: Job<Tx>,
) => Result | Promise<Result>;
