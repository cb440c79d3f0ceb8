import type { Sync } from "../../../ports/synchronous.js";
import type { NotAPromise } from "../job.js";

/** Members of the job of a definition with `chunk`. `Chunk` is the type that its schema takes. */
export interface Writes<Chunk> {
  /**
   * Adds a chunk to the output of the operation, which clients read while the work runs. Chunks are stored within 50 ms or
   * 32 KB, together with others, and only while this attempt has the operation. Everything that was written is stored before
   * the attempt ends. When another attempt begins, what was written after the last checkpoint is discarded.
   *
   * Resolves at once while less than 64 KB are not stored yet, and otherwise when there is room. So await it: one call per token
   * costs almost nothing, and a fast source cannot fill the memory. It still works after a cancellation was requested.
   *
   * The chunk must be JSON: see `Processor`. If it cannot be represented, exceeds `maxResultBytes` or is refused by the
   * chunk schema, the call rejects with `INVALID_RESULT`. If the output exceeds `maxOutputBytes`, it rejects with
   * `OUTPUT_TOO_LARGE`. The operation then fails, also if you do not await the call or catch the error. If the attempt is
   * over, rejects with the reason.
   */
  write(chunk: Chunk): Promise<void>;
  /**
   * Writes each value of a source, such as the stream of a model. Resolves when the source is done. If `signal` of the job is
   * aborted or a write fails, ends the source and rejects with the reason. Rejects with the error of the source.
   *
   * Await the call, or return its promise. Otherwise, the attempt fails.
   */
  pipe(source: AsyncIterable<Chunk> | ReadableStream<Chunk>): Promise<void>;
}

/**
 * Members of the job of a definition with `checkpoint`. `Checkpoint` is the type that its schema takes, `Resumed` its output,
 * and `Tx` the type of the back end's transaction handle.
 */
export interface Checkpoints<Checkpoint, Resumed, Tx = unknown> {
  /**
   * The last checkpoint of the operation when this attempt began, or `undefined`. If the schema of this worker refuses it, the
   * operation waits for a newer worker, as if its input was refused.
   */
  readonly resumed: Resumed | undefined;
  /**
   * Saves where the next attempt continues, together with everything that was written before. It is durable when the call
   * resolves. `maxAttempts` and the backoff count the attempts since the last checkpoint.
   *
   * With a function, it also commits your writes in the same transaction, so work in batches never repeats one. Unlike
   * `job.transaction`, the attempt goes on, and you can call it again. If the function throws, its writes, the checkpoint and the
   * chunks that it wrote are rolled back, and its error is rethrown unchanged. On SQLite, the function must be synchronous.
   *
   * While the worker stops, and near the end of a run, the checkpoint is saved, and the operation is then released without
   * counting the attempt: the call throws an error with the code `WORKER_STOPPED` that must leave the processor, like that of
   * `job.release`. The next worker or run continues at once.
   *
   * Await the call, or return its promise. Otherwise, the attempt fails.
   *
   * Throws `INVALID_RESULT` if the schema refuses the value, if JSON cannot represent it or if it exceeds `maxResultBytes`.
   * `LEASE_LOST` if another attempt has begun. `STORE_UNAVAILABLE` if the store did not answer a transaction. Each of them also
   * ends the attempt if you catch it. `NO_TRANSACTIONS` as `job.transaction` does.
   */
  readonly checkpoint: SaveCheckpoint<Checkpoint, Tx>;
}

/** Type of {@link Checkpoints.checkpoint}. Takes no function if the back end, by its type, shares no transactions. */
export type SaveCheckpoint<Checkpoint, Tx> = [Tx] extends [never]
  ? SaveAlone<Checkpoint>
  : [Tx] extends [Sync<infer Handle>]
    ? SaveSynchronously<Checkpoint, Handle>
    : SaveAsynchronously<Checkpoint, Tx>;

/** Saves a checkpoint. */
export type SaveAlone<Checkpoint> = (checkpoint: Checkpoint) => Promise<void>;

/** Saves a checkpoint, alone or in a transaction with a function that may be asynchronous. */
export interface SaveAsynchronously<Checkpoint, Tx> {
  /** Saves a checkpoint. */
  (checkpoint: Checkpoint): Promise<void>;
  /** Saves a checkpoint in a transaction with a function. Resolves to what the function returns. */
  <Result>(checkpoint: Checkpoint, work: (tx: Tx) => Result | Promise<Result>): Promise<Result>;
}

/** Saves a checkpoint, alone or in a transaction with a synchronous function. */
export interface SaveSynchronously<Checkpoint, Handle> {
  /** Saves a checkpoint. */
  (checkpoint: Checkpoint): Promise<void>;
  /** Saves a checkpoint in a transaction with a function. Resolves to what the function returns. */
  <Result>(checkpoint: Checkpoint, work: (handle: Handle) => NotAPromise<Result>): Promise<Result>;
}
