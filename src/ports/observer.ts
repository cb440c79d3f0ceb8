import type { ActionKind } from "./actions-store.js";

/** Members of every event about an operation. */
export interface OperationEvent {
  /** Id of the operation. */
  readonly operationId: string;
  /** Name of its definition. */
  readonly definition: string;
  /** Tenant that owns it. */
  readonly tenant: string;
  /**
   * Id of the principal who submitted it. In `operation.replayed`, of the principal who repeated the submission. Absent if
   * code submitted it and named none, and for deliveries of webhooks.
   */
  readonly principal?: string;
}

/** Members of every event about an attempt of an operation. */
export interface AttemptEvent extends OperationEvent {
  /** Number of the attempt. The first attempt is 1. */
  readonly attempt: number;
}

/** Member of every event about the start of an attempt or the end of an operation. */
export interface TimedEvent {
  /** Time when the operation was accepted, by the clock of the store. Epoch milliseconds. A redrive is a new operation. */
  readonly createdAt: number;
}

/** Member of every event about the end of an attempt. */
export interface RunEvent {
  /** How long the processor ran. Milliseconds. Absent if it was not called. */
  readonly runMs?: number | undefined;
}

/** A change that an operator made: to an operation, to a definition, or to the failed operations of a filter. */
export type ActedEvent =
  | (OperationEvent & { readonly action: Extract<ActionKind, "cancel" | "redrive"> })
  | {
      readonly action: Exclude<ActionKind, "cancel" | "redrive">;
      /** Name of the definition. Absent if the filter has none. */
      readonly definition?: string;
      /** Number of operations that this call ran again. Only for `redrive-many`. */
      readonly redriven?: number;
    };

/**
 * An event of a service or a worker. Its `error` says more than the client sees, but holds no payload. Every event about
 * an operation has its `tenant`.
 */
export type ServiceEvent =
  | (OperationEvent & { readonly event: "operation.accepted" })
  | (OperationEvent & { readonly event: "operation.replayed" })
  | (AttemptEvent &
      TimedEvent & {
        readonly event: "operation.started";
        /** Random id of the worker, which operators see with the attempt. */
        readonly process: string;
      })
  | (AttemptEvent & TimedEvent & RunEvent & { readonly event: "operation.completed" })
  | (AttemptEvent & TimedEvent & RunEvent & { readonly event: "operation.failed"; readonly error?: unknown })
  | (AttemptEvent &
      RunEvent & {
        readonly event: "operation.retried";
        readonly delayMs: number;
        readonly error: unknown;
      })
  | (AttemptEvent & RunEvent & { readonly event: "operation.released" })
  /** No worker started the work within `startWithinMs`, so the operation failed with the problem `expired`. */
  | (OperationEvent & TimedEvent & { readonly event: "operation.expired" })
  /** An operation was cancelled while no attempt ran, so it failed with the problem `cancelled`. */
  | (OperationEvent & TimedEvent & { readonly event: "operation.cancelled" })
  /** Another attempt took over the lease while the work ran, so the result was dropped. */
  | (AttemptEvent & RunEvent & { readonly event: "attempt.lost" })
  /**
   * A value passed to `job.progress` was dropped, because it cannot be stored. `error` says what is expected. Only the
   * first such value of an attempt is reported.
   */
  | (AttemptEvent & { readonly event: "progress.dropped"; readonly error: unknown })
  /** A new operation, `operationId`, runs the failed operation `retryOf` again. */
  | (OperationEvent & { readonly event: "operation.redriven"; readonly retryOf: string })
  /** An operator changed something. `by` is who did it and `via` the page or program, if they are known. */
  | (ActedEvent & { readonly event: "operator.acted"; readonly by?: string; readonly via?: string })
  /**
   * The receiver of a webhook accepted it. `operationId` is the operation that ended, and `createdAt` is when the delivery was
   * created. Epoch milliseconds, by the clock of the store.
   */
  | {
      readonly event: "webhook.delivered";
      readonly deliveryId: string;
      readonly operationId: string;
      readonly definition: string;
      readonly tenant: string;
      readonly attempt: number;
      readonly createdAt: number;
      readonly status: number;
    }
  /**
   * A webhook was not delivered and will not be retried. `operationId` is the operation that ended. There is no
   * `definition` if that operation is no longer kept.
   */
  | {
      readonly event: "webhook.failed";
      readonly deliveryId: string;
      readonly operationId: string;
      readonly definition?: string;
      readonly tenant: string;
      readonly attempt: number;
      readonly error: unknown;
    }
  /**
   * An origin timed out repeatedly. This worker sends it no webhooks of `tenant` for `delayMs`, and their attempts do not
   * count. Webhooks of other tenants are still sent to it.
   */
  | {
      readonly event: "webhook.postponed";
      readonly origin: string;
      readonly tenant: string;
      readonly delayMs: number;
    }
  | { readonly event: "operation.purged"; readonly count: number }
  /**
   * A submission that was never finished was ended, because its key had no operation or its resource could not be
   * created. Only in the second case is the `principal` known.
   */
  | (OperationEvent & { readonly event: "operation.abandoned" })
  /** A key was used again with a different payload: a mistake of the client, or an attempt to guess keys. */
  | { readonly event: "key.reused"; readonly definition: string; readonly tenant: string }
  /**
   * The reply to a request is a problem. `route` is the pattern of its path, such as `/operations/{id}`, and never the path
   * itself. It is absent if the path is unknown. `method` is `_OTHER` if it is not one of RFC 9110 or `PATCH`.
   */
  | {
      readonly event: "request.refused";
      readonly method: string;
      readonly route?: string;
      readonly status: number;
      readonly code: string;
      readonly error: unknown;
    }
  /** A step that no client waits for failed, such as a ring, a claim, a sweep or a renewal. It will be retried. */
  | { readonly event: "background.failed"; readonly step: string; readonly error: unknown }
  /**
   * A service was created without a back end, or with the memory back end if `NODE_ENV` is `production`. Its operations are
   * lost when the process ends.
   */
  | { readonly event: "service.memory-only"; readonly inProduction: boolean }
  /**
   * A service without `authorize` got its first HTTP request. It refuses all of them, without an event for each.
   */
  | { readonly event: "service.no-authorize" }
  /** Operations of a definition have been due for at least a minute, and no worker takes them. */
  | {
      readonly event: "definition.unattended";
      readonly definition: string;
      readonly due: number;
      readonly oldestDueMs: number;
    };

/** Receives every event, including full errors. If it throws or rejects, that error is dropped. */
export type Observer = (event: ServiceEvent) => void;
