import type { JsonText, OperationState } from "../contract/operation.js";
import type { OutputPosition } from "../contract/output.js";
import type { Lease } from "./operation-store.js";

/** Chunks and a checkpoint that an attempt has produced. */
export interface OutputAppend {
  /** Attempt that produced it. */
  readonly lease: Lease;
  /** Number of chunks that stand before these. */
  readonly from: number;
  /** Chunks as JSON without line breaks, in their order. */
  readonly chunks: readonly JsonText[];
  /** Their size in UTF-8. Bytes. */
  readonly bytes: number;
  /**
   * Checkpoint to set after the chunks. Its number is greater than that of the last one. Otherwise it is not set, because a call
   * that is repeated can arrive after a later one. Default: the last one stays.
   */
  readonly checkpoint?: { readonly value: JsonText; readonly number: number };
}

/** Whether the chunks are stored. `lost`: another attempt has begun, or the operation has ended. Then nothing has changed. */
export type AppendResult = "stored" | "lost";

/** The output of an operation when an attempt begins. */
export interface OutputState {
  /** Number of chunks. */
  readonly count: number;
  /** Their size in UTF-8. Bytes. */
  readonly bytes: number;
  /** The last checkpoint with its number, and the number of the attempt that set it. Absent before the first one. */
  readonly checkpoint?: { readonly value: JsonText; readonly number: number; readonly attempt: number };
}

/** Request to read the output of an operation. */
export interface OutputRequest {
  /** Id of the operation. */
  readonly id: string;
  /** Place to read from. Default: the beginning. */
  readonly after?: OutputPosition;
  /**
   * Length of its chunks at which a slice ends. It has at least one chunk, if there is one, and can exceed this by what was appended
   * together. UTF-16 code units.
   */
  readonly maxLength: number;
}

/** A part of an output. */
export interface OutputSlice {
  /**
   * Place where the slice begins. If it is not `after` of the request, the chunks between the two were discarded, and this slice has
   * none.
   */
  readonly start: OutputPosition;
  /** Chunks as JSON, in their order. */
  readonly chunks: readonly JsonText[];
  /** Place after the chunks. */
  readonly end: OutputPosition;
  /** Whether no further chunk stands. */
  readonly upToDate: boolean;
  /** State of the operation. The output of one that has ended never changes. */
  readonly state: OperationState;
  /** When the last checkpoint was set, by the clock of the store. Epoch milliseconds. Absent before the first one. */
  readonly checkpointAt?: number;
}

/**
 * Keeps the output and the checkpoints of attempts, in the same store as their operations. Chunks are discarded when an attempt
 * begins, in the same step: all of them, or those after the last checkpoint. When an operation ends, what stands stays. All of it is
 * deleted with the operation.
 *
 * Every method is atomic, safe to repeat, and throws like those of the operation store.
 */
export interface OutputStore {
  /** Returns what stands for an attempt that has begun, or `lost`. */
  begun(lease: Lease): Promise<OutputState | "lost">;

  /**
   * Appends chunks of any number of operations, none of them twice in a call, and resolves once they are durable.
   * Compare-and-set: the token must be that of the current attempt, and `from` the number of chunks that stand. A repeated call
   * with the same chunks and checkpoint changes nothing. Returns the result of each, in their order.
   */
  append(appends: readonly OutputAppend[]): Promise<readonly AppendResult[]>;

  /**
   * Reads outputs. Returns a slice for each request, in their order, or `undefined` for an unknown operation. An operation
   * without output has an empty one.
   */
  read(requests: readonly OutputRequest[]): Promise<readonly (OutputSlice | undefined)[]>;

  /**
   * Calls `onAppend` with the ids of operations whose output grows, through any store on the same data, and returns a function that
   * stops the calls. Otherwise like `watch` of the operation store, which tells when an output ends or is discarded.
   */
  watch(onAppend: (operationId?: string) => void): () => void;

  /** Deletes chunks that were discarded or belong to deleted operations. Returns how many rows it deleted, at most `limit`. */
  clean(request: { readonly limit: number }): Promise<number>;
}
