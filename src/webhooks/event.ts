import { parseStored } from "../contract/json/json-text.js";
import type { Operation } from "../contract/operation.js";
import { type Problem, shownProblem } from "../contract/problem.js";

/** Body of a webhook: the end of an operation, without its result, which the receiver reads from the status endpoint. */
export interface WebhookEvent {
  /** How the operation ended. */
  readonly type: "operation.completed" | "operation.failed";
  /** Time when the operation ended. RFC 3339. */
  readonly timestamp: string;
  /** The operation. */
  readonly data: {
    /** Id of the operation. */
    readonly operationId: string;
    /** Status of the operation, as the status endpoint shows it. */
    readonly status: "completed" | "failed";
    /** Why the operation failed, as the status endpoint shows it. Absent if it completed. */
    readonly error?: Problem;
  };
}

/** Returns the body that announces the end of an operation. It is the same for every attempt. */
export function toEvent(operation: Operation, problemBaseUri: string): WebhookEvent {
  const { id: operationId, state, settledAt = 0, error } = operation;
  const status = state === "completed" ? "completed" : "failed";
  return {
    type: `operation.${status}`,
    timestamp: new Date(settledAt).toISOString(),
    data: {
      operationId,
      status,
      ...(error === undefined ? {} : { error: shownProblem(parseStored(error), problemBaseUri) }),
    },
  };
}
