import type { Delivery, Queue } from "../../ports/queue.js";
import type { Gateway } from "./gateway.js";
import type { Notifications } from "./notifications.js";
import { toBegun } from "./operation-store.js";
import { type Row, text } from "./row.js";

/**
 * The store is the queue: receiving finds what is due and begins it in one statement. Announcements only wake those who
 * wait; they are kept nowhere.
 */
export function createPostgresQueue(gateway: Gateway<unknown>, notifications: Notifications): Queue {
  let turn = 0;
  return {
    publish: (announcements) => notifications.notify(announcements.map(({ definition }) => definition)),
    receive: async ({ definitions, limit, leaseMs, signal }) => {
      do {
        // Before the look: what is announced between the look and the waiting must end the waiting.
        const waiter = notifications.expect(definitions);
        try {
          // Each definition is the first in its turn, so that with one free slot none is always the last.
          const order = rotated(definitions, turn++);
          const rows = await gateway.call("receive_v1", [order, limit, leaseMs]);
          if (rows.length > 0) return rows.map(toDelivery);
          await waiter.wait(signal);
        } finally {
          waiter.cancel();
        }
      } while (!signal.aborted);
      return [];
    },
  };
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function toDelivery(row: Row): Delivery {
  const [operationId, definition] = [text(row, "id"), text(row, "definition")];
  const token = text(row, "token");
  const announcement = { version: 1, id: `${operationId}.${token}`, operationId, definition } as const;
  const delivery = { announcement, ack: done, nack: done };
  // What was asked to be cancelled is left to `beginAttempt`, which ends it.
  if (row.outcome !== "begun") return delivery;
  return { ...delivery, attempt: { lease: { operationId, token }, begun: toBegun(row) } };
}

async function done(): Promise<void> {}
