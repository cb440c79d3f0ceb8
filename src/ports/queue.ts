import type { Announcement } from "./announcement.js";
import type { RunningLimits } from "./claim.js";
import type { BeginResult, Lease } from "./operation-store.js";

/** An attempt that the receipt itself began, for back ends that receive and begin in one statement. */
export interface BegunAttempt {
  /** Lease of the attempt. Its token is the token of the receipt. */
  readonly lease: Lease;
  /** Result that `beginAttempt` would have returned. */
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
  /**
   * Returns the announcement to the queue, for example because the store is down. The queue chooses a delay and
   * redelivers it.
   */
  nack(): Promise<void>;
}

/** A definition whose announcements a consumer receives. */
export interface ConsumedDefinition {
  /** Name of the definition. */
  readonly name: string;
  /** Maximum number of deliveries in progress at once. */
  readonly concurrency: number;
  /** Lease of attempts that the receipt itself begins. Milliseconds. */
  readonly leaseMs: number;
  /** Whether the receipt itself may begin operations that are `preparing`. Default: true. */
  readonly creates?: boolean;
  /** Limits of the definition. A receipt that begins attempts never exceeds them. Default: none. */
  readonly limits?: RunningLimits | undefined;
  /** Whether operations of the definition have lanes. Only a hint to look again when one ends. Default: false. */
  readonly lanes?: boolean;
}

/** Deliveries that a worker can take now. */
export interface ReceiveRequest {
  /** Free slots by definition. Definitions that are not listed have no free slots. */
  readonly slots: ReadonlyMap<string, number>;
  /** Maximum number of deliveries to return, across all definitions. */
  readonly limit: number;
  /**
   * Identifies this receipt. Random, and reused only to repeat a call whose answer was lost. The repeated call returns
   * the attempts that the first call began and begins no others, so a lost answer costs no attempt.
   */
  readonly token: string;
  /**
   * Definitions of which the receipt itself may begin an operation whose last attempt was lost, at most one of each. The
   * others stay due for other workers. Only back ends that begin attempts need it. Default: all definitions.
   */
  readonly suspects?: ReadonlySet<string>;
  /** Ends the wait: the call then returns the deliveries that it has, or an empty list. */
  readonly signal: AbortSignal;
}

/** Receives announcements for one worker. The worker makes one call at a time. */
export interface Consumer {
  /**
   * Waits for announcements and returns between 1 and `limit` of them. Returns an empty list if the signal is aborted,
   * or if the queue wants the worker to call again. Deliveries that are neither acked nor nacked may be redelivered.
   *
   * A receipt that begins attempts returns no operation that has no place: see `OperationStore.beginAttempt`. When a
   * place becomes free in the same process, a waiting call looks again at once.
   *
   * Throws `QUEUE_UNAVAILABLE` if the queue cannot be reached, or `STORE_UNAVAILABLE` if the store is
   * the queue.
   */
  receive(request: ReceiveRequest): Promise<readonly Delivery[]>;

  /**
   * Releases what the consumer holds in the queue. A worker calls it once it has answered every delivery, and calls `receive` no
   * more. Deliveries that are not answered may go to other consumers at once.
   */
  close(): Promise<void>;
}

/**
 * Wakes up workers. A queue may deliver twice, late or out of order, and it may lose everything. A delivery only says
 * "look at this operation": the store decides, and the sweep announces the operation again.
 */
export interface Queue {
  /** Publishes announcements. Throws `QUEUE_UNAVAILABLE` unless the queue accepts all of them. */
  publish(announcements: readonly Announcement[]): Promise<void>;

  /** Creates a consumer for these definitions. It connects on first use, so this never throws if the queue is down. */
  consume(request: { readonly definitions: readonly ConsumedDefinition[] }): Consumer;

  /**
   * Creates a consumer for workers that learn from another queue when there is work: see `withQueue`. Its receipts begin
   * attempts like those of `consume`, but return at once, with an empty list if nothing is due. They also find work that was
   * never published to this queue. Absent if receipts begin no attempts.
   */
  consumeByTicket?(request: { readonly definitions: readonly ConsumedDefinition[] }): Consumer;

  /** Releases everything that the queue opened itself. */
  close(): Promise<void>;
}
