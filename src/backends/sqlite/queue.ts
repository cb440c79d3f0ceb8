import type { Queue } from "../../ports/queue.js";
import { createDueConsumer, type DueSource } from "../shared/due-consumer.js";
import type { Waiters } from "../shared/waiters.js";
import type { Connection } from "./connection/connection.js";
import type { Receiver } from "./records/receive.js";

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
    consume: ({ definitions }) => createDueConsumer(sourceOf(options), definitions),
    close: async () => waiters.wake(),
  };
}

const CAN_BE_LOST = { canBeLost: true };

function sourceOf({ connection, receiver, waiters }: QueueOptions): DueSource {
  let isIdle = true;
  return {
    look: async (free, { limit, token }, repeated) => {
      if (repeated)
        return connection.write("work", (changed) => receiver.repeat(free, token, changed), CAN_BE_LOST);
      // A read needs no lock, so that idle workers do not delay the writers.
      if (isIdle && !(await connection.read(() => receiver.hasDue(free)))) return [];
      const received = await connection.write(
        "work",
        (changed) => receiver.receive(free, limit, token, changed),
        CAN_BE_LOST,
      );
      isIdle = received.length === 0;
      return received;
    },
    expect: waiters.expect,
  };
}
