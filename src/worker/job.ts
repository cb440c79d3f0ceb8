/** A processor's handle on its attempt. */
export interface Job {
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
}

/**
 * Does the work. Runs at least once: after a crash or a lost lease it runs again, so that effects should be idempotent by
 * `job.operationId`. Returning completes the operation, `permanentFailure` fails it, anything else thrown is tried again.
 */
export type Processor<Input, Result = unknown> = (input: Input, job: Job) => Result | Promise<Result>;
