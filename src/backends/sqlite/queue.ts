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

/** Queue that learns of free places. */
export interface SqliteQueue extends Queue {
  /** Ends the waits for definitions of which an attempt or an operation has ended, if others may wait for that. */
  freed(definitions: ReadonlySet<string>): void;
}

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one transaction. Announcements are not stored; they only wake up waiting consumers.
 */
export function createSqliteQueue(options: QueueOptions): SqliteQueue {
  const { waiters } = options;
  /** Definitions of which a free place lets waiting work begin. */
  const limited = new Set<string>();
  return {
    freed: (definitions) => {
      const waiting = [...definitions].filter((name) => limited.has(name));
      if (waiting.length > 0) waiters.wake(new Set(waiting));
    },
    publish: async (announcements) => {
      if (announcements.length > 0) waiters.wake(new Set(announcements.map(({ definition }) => definition)));
    },
    consume: ({ definitions }) => {
      for (const { name, limits, lanes } of definitions)
        if (limits !== undefined || lanes === true) limited.add(name);
      return createDueConsumer(sourceOf(options), definitions, { waits: true });
    },
    consumeByTicket: ({ definitions }) => createDueConsumer(sourceOf(options), definitions, { waits: false }),
    close: async () => void waiters.wake(),
  };
}

const CAN_BE_LOST = { canBeLost: true };

function sourceOf({ connection, receiver, waiters }: QueueOptions): DueSource {
  let isIdle = true;
  return {
    look: async (free, { limit, token }, repeated) => {
      if (repeated)
        return {
          received: await connection.write(
            "work",
            (changed) => receiver.repeat(free, token, changed),
            CAN_BE_LOST,
          ),
        };
      // A read needs no lock, so that idle workers do not delay the writers.
      if (isIdle && !(await connection.read(() => receiver.hasDue(free)))) return { received: [] };
      const looked = await connection.write(
        "work",
        (changed) => receiver.receive(free, limit, token, changed),
        CAN_BE_LOST,
      );
      isIdle = looked.received.length === 0;
      return looked;
    },
    expect: waiters.expect,
  };
}
