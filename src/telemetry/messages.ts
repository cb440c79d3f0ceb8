import type { JsonText, Operation, Settlement } from "../contract/operation.js";

/** Members of every message of the tracing channels. */
export interface TracedWork {
  /**
   * Runs the work in a context, such as that of a span. A subscriber of `start` may set it. It must call `work` once, at
   * once, and return what `work` returns.
   */
  around?: <T>(work: () => T) => T;
  /** Why the work failed, without the parts that quote a payload. Set before `error`. */
  error?: unknown;
}

/** Message of the channel `async-request-reply:submit`: one submission, over HTTP or in process. */
export interface SubmitMessage extends TracedWork {
  /** Name of the definition. */
  readonly definition: string;
  /** Tenant of the caller. Set before `asyncEnd`, unless the submission was refused. In process, set from the start. */
  tenant?: string;
  /** Returns a header field of the request. Names are in lower case. Absent in process. */
  readonly header?: (name: string) => string | undefined;
  /** JSON to store with the operation. A subscriber of `start` may set it. A replayed operation keeps its own. */
  meta?: JsonText;
  /** Id of the operation. Set before `asyncEnd`, unless the submission was refused. */
  operationId?: string;
  /**
   * Outcome of the submission. `prepared`: `service.prepare` checked it, and it is recorded later. Set before
   * `asyncEnd`, unless the submission was refused.
   */
  outcome?: "accepted" | "replayed" | "prepared";
}

/** The operation and the attempt that a message is about. */
export interface AttemptMessage extends TracedWork {
  /** Id of the operation. */
  readonly operationId: string;
  /** Name of its definition. `webhook.delivery` for deliveries of webhooks. */
  readonly definition: string;
  /** Tenant that owns the operation. */
  readonly tenant: string;
  /** Number of the attempt. The first attempt is 1. */
  readonly attempt: number;
  /** Time when the operation was accepted, by the clock of the store. Epoch milliseconds. */
  readonly createdAt: number;
  /** JSON that a subscriber of `submit` stored with the operation. */
  readonly meta?: JsonText | undefined;
}

/** Message of the channel `async-request-reply:process`: one run of a processor. */
export interface ProcessMessage extends AttemptMessage {
  /** Outcome that the worker asks the store for. `lost`: nothing, because it lost the lease. Set before `asyncEnd`. */
  outcome?: Settlement["to"] | "lost";
}

/** How an attempt ended. `released` attempts do not count, and `lost` ones changed nothing. */
export type AttemptOutcome = "completed" | "failed" | "retried" | "released" | "lost";

/** Message of the channel `async-request-reply:settle`: the end of an attempt, as the store recorded it. */
export interface SettleMessage extends AttemptMessage {
  /** How the attempt ended. Set before `asyncEnd`. `completed` and `failed` end the operation. */
  outcome?: AttemptOutcome;
}

/** Message of the channel `async-request-reply:deliver`: one attempt to deliver a webhook. */
export interface DeliverMessage extends AttemptMessage {
  /** Id of the delivery. `operationId`, `definition`, `createdAt` and `meta` are those of the operation that ended. */
  readonly deliveryId: string;
  /** Header fields to send, with names in lower case. A subscriber of `start` may add some. */
  readonly headers: Record<string, string>;
  /** Status of the receiver's answer. Set before `asyncEnd`, if there is an answer. */
  status?: number;
}

/** Returns the members of a message about an attempt. */
export function aboutAttempt(operation: Operation): AttemptMessage {
  const { id: operationId, definition, tenant, attempt, createdAt, meta } = operation;
  return { operationId, definition, tenant, attempt, createdAt, meta };
}
