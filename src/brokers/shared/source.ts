import type { Delivery } from "../../ports/queue.js";

/** The messages of one definition, which a broker sends when they have been ordered. */
export interface Source {
  /**
   * Orders up to `count` messages, which arrive later. Does nothing if enough are on order.
   *
   * Throws `QUEUE_UNAVAILABLE`.
   */
  order(count: number): Promise<void>;
  /**
   * Orders up to `count` of the messages that the broker has now. Returns whether some are still on their way.
   *
   * Throws `QUEUE_UNAVAILABLE`.
   */
  orderAvailable(count: number): Promise<boolean>;
  /** Ends orders of more than `count` messages if the broker can. */
  reduceTo(count: number): void;
  /** Returns what the broker has sent to other consumers. Deliveries can still be acked until they are settled. */
  close(): Promise<void>;
}

/** Takes the messages of a source. */
export interface Arriving {
  /** Whether the worker has room for another message. A message without room goes back to the broker. */
  readonly hasRoom: () => boolean;
  /** Keeps a delivery for the worker. `giveBack` returns it to the broker if no worker takes it. */
  readonly onDelivery: (delivery: Delivery, giveBack: () => void) => void;
  /** Called when what is on order no longer comes, so that it must be ordered again. */
  readonly onEnd: () => void;
  /** Called when the broker has ended an order with an error. */
  readonly onFailure: (error: unknown) => void;
}

/** Opens the source of a definition. Does not use the broker yet. */
export type OpenSource = (definition: string, arriving: Arriving) => Source;
