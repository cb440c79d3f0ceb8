import type { Delivery, ReceiveRequest } from "../../ports/queue.js";

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

/** Deliveries that have arrived for a worker, within the room that it has. */
export interface Arrivals {
  /** Sets the free slots of the worker. */
  admit(request: Pick<ReceiveRequest, "slots" | "limit">): void;
  /** Returns how many more deliveries of a definition the worker has room for. */
  roomFor(definition: string): number;
  /** Keeps a delivery. `giveBack` returns it to the broker if no worker takes it. */
  add(definition: string, delivery: Delivery, giveBack: () => void): void;
  isEmpty(): boolean;
  /** Returns all that has arrived. Later arrivals must fit into the slots that this leaves free. */
  take(): readonly Delivery[];
  /** Leaves no room until `admit`. */
  admitNone(): void;
  /** Gives everything back that no worker has taken. */
  giveBack(): void;
}

interface Arrival {
  readonly definition: string;
  readonly delivery: Delivery;
  readonly giveBack: () => void;
}

/** Creates an empty list, which has no room until `admit`. */
export function createArrivals(): Arrivals {
  let arrived: Arrival[] = [];
  let slots = new Map<string, number>();
  let limit = 0;

  function occupy({ definition }: Arrival): void {
    slots.set(definition, (slots.get(definition) ?? 0) - 1);
    limit -= 1;
  }

  function takeAll(): readonly Arrival[] {
    const taken = arrived;
    arrived = [];
    return taken;
  }

  return {
    admit: (request) => {
      slots = new Map(request.slots);
      limit = request.limit;
      arrived.forEach(occupy);
    },
    roomFor: (definition) => Math.max(0, Math.min(limit, slots.get(definition) ?? 0)),
    add: (definition, delivery, giveBack) => {
      const arrival = { definition, delivery, giveBack };
      arrived.push(arrival);
      occupy(arrival);
    },
    isEmpty: () => arrived.length === 0,
    take: () => takeAll().map(({ delivery }) => delivery),
    admitNone: () => {
      limit = 0;
    },
    giveBack: () => {
      for (const { giveBack } of takeAll()) giveBack();
    },
  };
}
