import type { Delivery, ReceiveRequest } from "../../ports/queue.js";

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
