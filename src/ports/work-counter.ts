import type { Operation } from "../contract/operation.js";
import type { DueOperation } from "./claim.js";

/** Counts what happens to operations and what no event says at once. */
export interface WorkCounter {
  /** Counts a submission that was refused because too many operations are unfinished. */
  refused(definition: string): void;
  /**
   * Counts operations as accepted as soon as the store has them, if that is within a minute. Their transaction may roll back, or the
   * answer of the store was lost.
   */
  recorded(operationIds: readonly string[]): void;
  /** Counts an operation that has failed before it was pending. */
  failed(operation: Pick<Operation, "definition" | "onEnd">): void;
  /** Counts operations that a claim has cancelled. */
  cancelled(operations: readonly DueOperation[]): void;
  /** Counts the follow-up of an operation that has ended as accepted. */
  followedUp(operation: Pick<Operation, "onEnd">): void;
  /** Does the same for operations that were not read. */
  followedUpUnread(operationIds: readonly string[]): void;
}
