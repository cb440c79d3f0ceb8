import type { Announcement } from "./announcement.js";
import type { BeginResult, Lease } from "./operation-store.js";

/** An attempt that the receipt itself began, on back ends where receiving and beginning are one statement. */
export interface BegunAttempt {
  /** Lease of the attempt. Its token is the token of the receipt. */
  readonly lease: Lease;
  /** The answer that `beginAttempt` would have given. */
  readonly begun: Extract<BeginResult, { readonly outcome: "begun" }>;
}

/** One receipt of an announcement. */
export interface Delivery {
  /** The announcement as it was published. */
  readonly announcement: Announcement;
  /** If set, the attempt has already begun; do not ack or nack this delivery. */
  readonly attempt?: BegunAttempt;
  /** Tells the queue not to deliver this announcement again. A lost ack is harmless. */
  ack(): Promise<void>;
  /** Returns the announcement because the store could not be asked. The queue delivers it again after a delay of its choice. */
  nack(): Promise<void>;
}

/** A definition that a consumer receives work of. */
export interface ConsumedDefinition {
  /** Name of the definition. */
  readonly name: string;
  /** Maximum number of deliveries in progress at once. */
  readonly concurrency: number;
  /** Lease of attempts that the receipt itself begins. Milliseconds. */
  readonly leaseMs: number;
  /** Whether the receipt itself may begin operations that are `preparing`. Default: true. */
  readonly creates?: boolean;
}

/** What a worker can take now. */
export interface ReceiveRequest {
  /** Free slots by definition. Definitions that are not listed have none. */
  readonly slots: ReadonlyMap<string, number>;
  /** Maximum number of deliveries to return, over all definitions. */
  readonly limit: number;
  /**
   * Names this receipt. Random and used once, except to repeat a call whose answer was lost: the repeated call returns the
   * attempts that the first one began and begins no others, so a lost answer costs no attempt.
   */
  readonly token: string;
  /** Ends the wait: the call then returns what it has, or nothing. */
  readonly signal: AbortSignal;
}

/** Receives announcements for one worker. It makes one call at a time. */
export interface Consumer {
  /**
   * Waits for announcements and returns between 1 and `limit` of them, or none once the signal is aborted or the queue
   * prefers to be asked again. Deliveries that are neither acked nor nacked may be delivered again.
   *
   * Throws AsyncReplyError `QUEUE_UNAVAILABLE` if the queue cannot be reached, or `STORE_UNAVAILABLE` where the store is the queue.
   */
  receive(request: ReceiveRequest): Promise<readonly Delivery[]>;

  /** Frees what the consumer holds in the queue. Unacked deliveries may go to other consumers. */
  close(): Promise<void>;
}

/**
 * Carries wake-ups, not truth. A queue may deliver twice, late, out of order or lose everything: a delivery only says
 * "look at this operation". The store decides, and the sweep announces the operation again.
 */
export interface Queue {
  /** Publishes announcements. Throws AsyncReplyError `QUEUE_UNAVAILABLE` unless the queue accepted all of them. */
  publish(announcements: readonly Announcement[]): Promise<void>;

  /** Creates a consumer for these definitions. Connects on first use, so it never throws because the queue is down. */
  consume(request: { readonly definitions: readonly ConsumedDefinition[] }): Consumer;

  /** Frees what the queue opened itself. */
  close(): Promise<void>;
}
