import type { OperationStore } from "../../ports/operation-store.js";
import type { Queue } from "../../ports/queue.js";
import { createDueConsumer, type DueSource } from "../shared/due-consumer.js";
import type { Waiters } from "../shared/waiters.js";

/** Queue that learns of free places. */
export interface SqliteQueue extends Queue {
  /** Ends the waits for definitions of which an attempt or an operation has ended, if others may wait for that. */
  freed(definitions: ReadonlySet<string>): void;
}

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one transaction. Announcements are not stored; they only wake up waiting consumers.
 */
export function createSqliteQueue(
  { claim }: Required<Pick<OperationStore, "claim">>,
  waiters: Waiters,
): SqliteQueue {
  const source: DueSource = { claim, expect: waiters.expect };
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
      return createDueConsumer(source, definitions, { waits: true });
    },
    consumeByTicket: ({ definitions }) => createDueConsumer(source, definitions, { waits: false }),
    close: async () => void waiters.wake(),
  };
}
