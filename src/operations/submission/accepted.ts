import type { JsonText, Operation } from "../../contract/operation.js";
import type { SubmitMessage } from "../../telemetry/messages.js";

/** An accepted submission. */
export interface Accepted {
  readonly operationId: string;
  /** Whether an earlier submission with this key created the operation. */
  readonly replayed: boolean;
  /** Whether to wake up workers. */
  readonly ring: boolean;
  /** Current state of the earlier submission's operation. If absent, the operation has just become pending. */
  readonly operation?: Operation;
  /** Stored resource. If present, the reply is a 201. */
  readonly resource?: JsonText;
}

/** Returns the outcome of a submission whose operation already exists. */
export function replayOf(operation: Operation): Accepted {
  const { id, resource } = operation;
  const created = resource === undefined ? {} : { resource };
  return { operationId: id, replayed: true, ring: false, operation, ...created };
}

/** Returns what subscribers of the channel `submit` learn about an accepted submission. */
export function toMessage({
  operationId,
  replayed,
}: Accepted): Pick<SubmitMessage, "operationId" | "outcome"> {
  return { operationId, outcome: replayed ? "replayed" : "accepted" };
}
