import type { OperationStore } from "./operation-store.js";

/** A terminal operation whose retention has passed, with the parts of its key. */
export interface ExpiredOperation {
  /** Id of the operation, to pass to `remove`. */
  readonly id: string;
  /** Tenant of the key. */
  readonly tenant: string;
  /** Definition of the key. */
  readonly definition: string;
  /** Idempotency key. Absent if the operation was submitted without one. */
  readonly key?: string;
}

/**
 * An operation store whose keys another store keeps: see `composeStores`. It hands expired operations out before it deletes
 * them, so that their keys are released first.
 */
export interface SeparateOperationStore extends OperationStore {
  /**
   * Hands out completed operations whose `retentionMs` has passed, and failed ones whose `failedRetentionMs` has, each to
   * one caller, the longest expired first. An operation that is not passed to `remove` is handed out again after a
   * minute. A redriven operation is kept until its successor is gone, and is handed out then, unless its own time is not
   * over. This call also deletes the operations whose time from an earlier `remove` has come.
   */
  takeExpired(request: { readonly limit: number }): Promise<readonly ExpiredOperation[]>;

  /**
   * Deletes terminal operations `afterMs` from now. Milliseconds. Until then they can be read, and their ids stay
   * taken. A redriven operation is kept as long as its successor exists, also if it is redriven later.
   */
  remove(ids: readonly string[], options: { readonly afterMs: number }): Promise<void>;
}
