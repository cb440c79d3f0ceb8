import type { JsonText, Operation } from "../contract/operation.js";

/** An accepted submission. */
export interface Accepted {
  readonly operationId: string;
  /** Whether an earlier submission with this key came first. */
  readonly replayed: boolean;
  /** Whether there is new work to announce. */
  readonly announce: boolean;
  /** The operation of the earlier submission, as it is now. If absent, the operation has just become pending. */
  readonly operation?: Operation;
  /** Makes the reply a 201. */
  readonly resource?: JsonText;
}

/** Answers from the operation of an earlier submission. */
export function replayOf(operation: Operation): Accepted {
  const { id, resource } = operation;
  const created = resource === undefined ? {} : { resource };
  return { operationId: id, replayed: true, announce: false, operation, ...created };
}
