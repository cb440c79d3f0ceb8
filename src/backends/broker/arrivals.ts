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

const NO_ROOM = { slots: new Map<string, number>(), limit: 0 };

/** Creates an empty list, which has no room until `admit`. */
export function createArrivals(): Arrivals {
  let arrived: Arrival[] = [];
  let { slots, limit }: Pick<ReceiveRequest, "slots" | "limit"> = NO_ROOM;

  const countOf = (definition: string): number =>
    arrived.reduce((count, arrival) => (arrival.definition === definition ? count + 1 : count), 0);

  function takeAll(): readonly Arrival[] {
    const taken = arrived;
    arrived = [];
    return taken;
  }

  return {
    admit: (request) => {
      ({ slots, limit } = request);
    },
    roomFor: (definition) =>
      Math.max(0, Math.min(limit - arrived.length, (slots.get(definition) ?? 0) - countOf(definition))),
    add: (definition, delivery, giveBack) => {
      arrived.push({ definition, delivery, giveBack });
    },
    isEmpty: () => arrived.length === 0,
    take: () => {
      const taken = takeAll();
      const left = new Map(slots);
      for (const { definition } of taken) left.set(definition, (left.get(definition) ?? 0) - 1);
      slots = left;
      limit -= taken.length;
      return taken.map(({ delivery }) => delivery);
    },
    admitNone: () => {
      ({ slots, limit } = NO_ROOM);
    },
    giveBack: () => {
      for (const { giveBack } of takeAll()) giveBack();
    },
  };
}
