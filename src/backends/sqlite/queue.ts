import type { ConsumedDefinition, Consumer, Delivery, Queue, ReceiveRequest } from "../../ports/queue.js";
import type { Waiters } from "../waking/waiters.js";
import type { Connection } from "./connection/connection.js";
import type { FreeDefinition, Received, Receiver } from "./records/receive.js";

/** Options of {@link createSqliteQueue}. */
export interface QueueOptions {
  readonly connection: Connection;
  readonly receiver: Receiver;
  readonly waiters: Waiters;
}

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one transaction. Announcements are not stored; they only wake up waiting consumers.
 */
export function createSqliteQueue(options: QueueOptions): Queue {
  const { waiters } = options;
  return {
    publish: async (announcements) => {
      if (announcements.length > 0) waiters.wake(new Set(announcements.map(({ definition }) => definition)));
    },
    consume: ({ definitions }) => createConsumer(options, definitions),
    close: async () => waiters.wake(),
  };
}

const CAN_BE_LOST = { canBeLost: true };

function createConsumer(
  { connection, receiver, waiters }: QueueOptions,
  definitions: readonly ConsumedDefinition[],
): Consumer {
  let turn = 0;
  let lastToken: string | undefined;
  let isIdle = true;

  async function look({ slots, limit, token }: ReceiveRequest): Promise<readonly Received[]> {
    const free = withSlots(rotated(definitions, turn++), slots);
    // A read needs no lock, so that idle workers do not delay the writers.
    if (isIdle && !(await connection.read(() => receiver.hasDue(free)))) return [];
    const received = await connection.write(
      "work",
      (changed) => receiver.receive(free, limit, token, changed),
      CAN_BE_LOST,
    );
    isIdle = received.length === 0;
    return received;
  }

  function lookAgain({ slots, token }: ReceiveRequest): Promise<readonly Received[]> {
    const free = withSlots(definitions, slots);
    return connection.write("work", (changed) => receiver.repeat(free, token, changed), CAN_BE_LOST);
  }

  return {
    receive: async (request) => {
      const { slots, token, signal } = request;
      if (token === lastToken)
        return (await lookAgain(request)).map((received) => toDelivery(received, token));
      lastToken = token;
      do {
        // Created before the look, so that an announcement between the look and the wait ends the wait.
        const waiter = waiters.expect([...slots.keys()]);
        try {
          const received = await look(request);
          if (received.length > 0) return received.map((each) => toDelivery(each, token));
          await waiter.wait(signal);
        } finally {
          waiter.cancel();
        }
      } while (!signal.aborted);
      return [];
    },
    close: async () => {},
  };
}

function withSlots(
  definitions: readonly ConsumedDefinition[],
  slots: ReadonlyMap<string, number>,
): readonly FreeDefinition[] {
  return definitions.flatMap((definition) => {
    const free = slots.get(definition.name) ?? 0;
    return free > 0 ? [{ ...definition, slots: free }] : [];
  });
}

/** The definitions take turns at being first, so each of them gets work even if only one slot is free. */
function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function toDelivery({ operationId, definition, begun }: Received, token: string): Delivery {
  const announcement = { version: 1, id: `${operationId}.${token}`, operationId, definition } as const;
  const delivery = { announcement, ack: done, nack: done };
  return begun === undefined ? delivery : { ...delivery, attempt: { lease: { operationId, token }, begun } };
}

async function done(): Promise<void> {}
