import type { ConsumedDefinition, Consumer, Delivery, Queue, ReceiveRequest } from "../../ports/queue.js";
import { type Row, text } from "../rows/row.js";
import { toBegun } from "./calls/attempt-results.js";
import type { Gateway } from "./calls/gateway.js";
import type { Notifications } from "./notices/notifications.js";

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one statement. Announcements are not stored; they only wake up waiting consumers.
 */
export function createPostgresQueue(gateway: Gateway<unknown>, notifications: Notifications): Queue {
  return {
    publish: (announcements) => notifications.notify(announcements.map(({ definition }) => definition)),
    consume: ({ definitions }) => createConsumer(gateway, notifications, definitions),
    close: async () => notifications.close(),
  };
}

function createConsumer(
  gateway: Gateway<unknown>,
  notifications: Notifications,
  definitions: readonly ConsumedDefinition[],
): Consumer {
  let turn = 0;
  let lastToken: string | undefined;

  async function look({ slots, limit, token }: ReceiveRequest, repeated = false): Promise<readonly Row[]> {
    // The definitions take turns at being first, so each of them gets work even if only one slot is free.
    const free = rotated(definitions, turn++).filter(({ name }) => (slots.get(name) ?? 0) > 0);
    return gateway.call("receive_v1", [
      free.map(({ name }) => name),
      free.map(({ name }) => slots.get(name)),
      free.map(({ leaseMs }) => leaseMs),
      free.map(({ creates = true }) => creates),
      limit,
      token,
      repeated,
    ]);
  }

  return {
    receive: async (request) => {
      const { slots, token, signal } = request;
      if (token === lastToken) return (await look(request, true)).map((row) => toDelivery(row, token));
      lastToken = token;
      do {
        // Created before the query, so an announcement between the query and the wait ends the wait.
        const waiter = notifications.expect([...slots.keys()]);
        try {
          const rows = await look(request);
          if (rows.length > 0) return rows.map((row) => toDelivery(row, token));
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

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function toDelivery(row: Row, token: string): Delivery {
  const [operationId, definition] = [text(row, "id"), text(row, "definition")];
  const announcement = { version: 1, id: `${operationId}.${token}`, operationId, definition } as const;
  const delivery = { announcement, ack: done, nack: done };
  // The worker calls `beginAttempt` for operations with a cancellation request, which ends them.
  if (row.outcome !== "begun") return delivery;
  return { ...delivery, attempt: { lease: { operationId, token }, begun: toBegun(row) } };
}

async function done(): Promise<void> {}
