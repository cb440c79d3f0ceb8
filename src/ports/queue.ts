import type { Announcement } from "../core/announcement.js";
import type { BeginResult, Lease } from "./operation-store.js";

/** An attempt that the receipt itself has begun, on back ends where that is one statement. */
export interface BegunAttempt {
  /** Of the attempt. Its token was chosen by the queue. */
  readonly lease: Lease;
  /** What `beginAttempt` would have answered. */
  readonly begun: Extract<BeginResult, { readonly outcome: "begun" }>;
}

/** One receipt of an announcement. */
export interface Delivery {
  /** As it was published. */
  readonly announcement: Announcement;
  /** With it the delivery has done its duty: it is neither acked nor nacked. */
  readonly attempt?: BegunAttempt;
  /** The announcement has done its duty and must not come again. Failing to say so is harmless. */
  ack(): Promise<void>;
  /** The store could not be asked: deliver again, after a while of the queue's choosing. */
  nack(): Promise<void>;
}

/** What a worker can take now. */
export interface ReceiveRequest {
  /** Only announcements of these definitions. */
  readonly definitions: readonly string[];
  /** At most so many; a worker never asks for more than its free slots. */
  readonly limit: number;
  /** The lease of attempts that the receipt itself begins. */
  readonly leaseMs: number;
  /** Ends the waiting: the call then returns what it has, or nothing. */
  readonly signal: AbortSignal;
}

/**
 * Carries wake-ups, not truth. A queue may deliver twice, late, out of order or lose everything: a delivery only
 * says "look at this operation", the store decides, and the sweep says it again.
 */
export interface Queue {
  /** Throws AsyncReplyError `QUEUE_UNAVAILABLE` unless the queue has taken all of them. */
  publish(announcements: readonly Announcement[]): Promise<void>;

  /**
   * Waits for announcements and returns between 1 and `limit` of them, or none once the signal is aborted or the queue
   * prefers to be asked again. What is returned and neither acked nor nacked may be delivered again.
   */
  receive(request: ReceiveRequest): Promise<readonly Delivery[]>;
}
