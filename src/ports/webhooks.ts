import type { OperationDefinition } from "../contract/definition/definition.js";
import type { FollowUp, NewOperation, Operation } from "../contract/operation.js";
import { invalidOption, isObject } from "../contract/options.js";
import type { Principal } from "./authorize.js";
import type { Observer } from "./observer.js";
import type { OperationStore } from "./operation-store.js";
import type { Clock, Runtime } from "./runtime.js";

/** Reserved name of the definition whose hidden operations deliver webhooks. */
export const WEBHOOK_DELIVERY = "webhook.delivery";

/** Dependencies of deliveries, from the worker that runs them. */
export interface DeliveryContext {
  /** Store of the operations that are announced. */
  readonly operations: OperationStore;
  /** Source of time and jitter. */
  readonly runtime: Runtime;
  /** Receives the outcome of every delivery. */
  readonly observe: Observer;
  /** Maximum number of concurrent attempts of the worker. */
  readonly concurrency: number;
  /** Replaces the URI before the name of a problem type. */
  readonly problemBaseUri: string;
}

/** One attempt to deliver: the part of a job that deliveries use. */
export interface DeliveryAttempt {
  /** Id of the delivery. */
  readonly operationId: string;
  /** Tenant of the operation that is announced. */
  readonly tenant: string;
  /** Number of this attempt. The first attempt is 1. */
  readonly attempt: number;
  /** Time when the delivery was created, by the clock of the store. Epoch milliseconds. */
  readonly createdAt: number;
  /** Aborted when the attempt must stop. */
  readonly signal: AbortSignal;
}

/** A delivery that has failed. Its input names the operation that is announced. */
export type FailedDelivery = Pick<Operation, "id" | "tenant" | "attempt" | "input">;

/** Processor of deliveries, with its options. */
export interface DeliveryProcessor {
  /** Delivers once. Throws `RETRY_LATER` or `PERMANENT_FAILURE` if the receiver did not accept. */
  run(input: unknown, attempt: DeliveryAttempt): Promise<unknown>;
  /**
   * Reports a delivery that a worker has ended without success, after the failure was stored. Never rejects.
   *
   * @param error why it failed. Undefined if its last attempt was lost.
   */
  failed(delivery: FailedDelivery, error: unknown): Promise<void>;
  /** Settings of its attempts. */
  readonly settings: {
    /** Maximum number of concurrent deliveries of a worker. */
    readonly concurrency: number;
    /** Time without a renewal after which an attempt counts as lost. Milliseconds. */
    readonly leaseMs: number;
    /** Number of attempts before a delivery fails. */
    readonly maxAttempts: number;
    /** Returns the delay after an attempt that did not say when to try again. Milliseconds. */
    readonly backoff: (attempt: number) => number;
    /** Absent, because attempts have their own time limit. */
    readonly attemptTimeoutMs: undefined;
  };
}

/** Time limit of a check. */
export interface TimeLimit {
  /** Clock of the service. */
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** Announces the end of operations to the receivers of a service. Create it with `createWebhooks`. */
export interface Webhooks {
  /** Definition of the deliveries. Its name is `webhook.delivery`. */
  readonly definition: OperationDefinition;
  /** Whether requests may choose their receiver with `Webhook-URL`. */
  readonly takesUrls: boolean;
  /**
   * Checks the receiver that a request chooses, and returns the URL in its normal form.
   *
   * Throws `INVALID_HEADER` if the URL cannot be used, `FORBIDDEN` if this caller must not use it, and
   * `AUTHORIZATION_UNAVAILABLE` if that is not known in time.
   */
  checkUrl(url: string, principal: Required<Principal>, limit: TimeLimit): Promise<string>;
  /**
   * Returns the delivery that the store creates when the operation ends. Its input names the operation.
   *
   * @param id id of the delivery
   * @param url receiver that the request chose. Default: the endpoint of the tenant.
   */
  followUp(
    operation: Pick<NewOperation, "id" | "retentionMs" | "failedRetentionMs">,
    id: string,
    url: string | undefined,
  ): FollowUp;
  /** Creates the processor of deliveries for one worker. */
  processor(context: DeliveryContext): DeliveryProcessor;
}

/**
 * Checks the option `webhooks`.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkWebhooks(webhooks: unknown): void {
  if (webhooks === undefined || (isObject(webhooks) && "processor" in webhooks)) return;
  throw invalidOption("webhooks", "the return value of `createWebhooks`", webhooks);
}
