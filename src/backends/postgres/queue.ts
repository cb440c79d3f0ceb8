import type { Queue } from "../../ports/queue.js";
import { createDueConsumer, type DueSource, type Received } from "../shared/due-consumer.js";
import { json, type Row, text } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";
import { toBegun } from "./calls/results.js";
import type { LiveEntries } from "./live-entries.js";
import type { Changes } from "./notices/changes.js";
import type { Notifications } from "./notices/notifications.js";

/** Parts of the back end that the queue uses. */
export interface QueueParts {
  readonly gateway: Gateway<unknown>;
  readonly notifications: Notifications;
  readonly liveEntries: LiveEntries;
  readonly changes: Pick<Changes, "changed">;
}

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one statement. Announcements are not stored; they only wake up waiting consumers.
 */
export function createPostgresQueue({ gateway, notifications, liveEntries, changes }: QueueParts): Queue {
  /** The tenants that had the last turn, by definition and urgency. */
  const turns: Record<string, Row> = {};
  const source: DueSource = {
    look: async (free, { limit, token, signal }, repeated) => {
      const names = free.map(({ name }) => name);
      // A caller that does not wait does not come back for what was missed.
      const since = signal.aborted ? names.map(() => 0) : await liveEntries.since(names);
      const rows = await gateway.call("receive_v1", [
        names,
        free.map(({ slots }) => slots),
        free.map(({ leaseMs }) => leaseMs),
        free.map(({ creates = true }) => creates),
        free.map(({ suspects }) => suspects),
        since,
        JSON.stringify(turns),
        limit,
        token,
        repeated,
      ]);
      const received: Received[] = [];
      for (const row of rows) {
        if (row.outcome === "turns") turns[text(row, "definition")] = json(row, "meta");
        else received.push(toReceived(row));
      }
      for (const { operationId, begun } of received) if (begun !== undefined) changes.changed(operationId);
      return received;
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
