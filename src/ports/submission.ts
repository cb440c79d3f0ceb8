import type { AsyncReplyError } from "../contract/errors.js";
import type { NewOperation, Operation } from "../contract/operation.js";
import type { InitialState } from "./operation-store.js";

/** One accepted request, ready to be recorded. */
export interface Submission {
  /** Operation to create unless its key is bound. Without a key it is always created. */
  readonly operation: NewOperation;
  /**
   * Hash of the payload. Only used if the operation has a key. Stores compare fingerprints for equality and nothing
   * else.
   */
  readonly fingerprint: string;
  /** Set if the resource is created before the reply. Default: the operation is `pending` and due at once. */
  readonly initial?: Extract<InitialState, { readonly state: "preparing" }>;
}

/** Outcome of a submission: a new operation, or the operation of an earlier submission with the same key. */
export type RecordResult =
  /**
   * Created by this call, or by an earlier call with the same operation id whose answer was lost. `operationId` is set if it is not
   * that of the submission, because an earlier submission has bound the key to it.
   */
  | { readonly outcome: "created"; readonly operationId?: string }
  /** The key is bound to `operation`, which was recorded with `fingerprint`. */
  | { readonly outcome: "exists"; readonly operation: Operation; readonly fingerprint: string }
  /** The key is bound with another fingerprint, `fingerprint`, and the operation does not exist yet. */
  | { readonly outcome: "in-progress"; readonly fingerprint: string };

/** Outcome of one of several submissions that are recorded in one commit. */
export type RecordManyResult =
  | RecordResult
  /** Nothing was recorded for this submission: it cannot be stored, or another transaction holds its key. */
  | { readonly outcome: "refused"; readonly error: AsyncReplyError };
