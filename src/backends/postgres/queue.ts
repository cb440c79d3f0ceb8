import type { Queue } from "../../ports/queue.js";
import { type Row, text } from "../rows/row.js";
import { createDueConsumer, type DueSource, type Received } from "../waking/due-consumer.js";
import { toBegun } from "./calls/attempt-results.js";
import type { Gateway } from "./calls/gateway.js";
import type { Notifications } from "./notices/notifications.js";

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one statement. Announcements are not stored; they only wake up waiting consumers.
 */
export function createPostgresQueue(gateway: Gateway<unknown>, notifications: Notifications): Queue {
  const source: DueSource = {
    look: async (free, { limit, token }, repeated) => {
      const rows = await gateway.call("receive_v1", [
        free.map(({ name }) => name),
        free.map(({ slots }) => slots),
        free.map(({ leaseMs }) => leaseMs),
        free.map(({ creates = true }) => creates),
        limit,
        token,
        repeated,
      ]);
      return rows.map(toReceived);
    },
    expect: notifications.expect,
  };
  return {
    publish: (announcements) => notifications.notify(announcements.map(({ definition }) => definition)),
    consume: ({ definitions }) => createDueConsumer(source, definitions),
    close: async () => notifications.close(),
  };
}

function toReceived(row: Row): Received {
  const received = { operationId: text(row, "id"), definition: text(row, "definition") };
  // The worker calls `beginAttempt` for operations with a cancellation request, which ends them.
  return row.outcome === "begun" ? { ...received, begun: toBegun(row) } : received;
}
