import type { Queue } from "../../ports/queue.js";
import {
  createDueConsumer,
  type DueSource,
  type FreeDefinition,
  type Received,
} from "../shared/due-consumer.js";
import { json, type Row, text } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";
import { toBegun } from "./calls/results.js";
import { limitValues } from "./calls/values.js";
import type { LiveEntries } from "./live-entries.js";
import type { Changes } from "./notices/changes.js";
import type { Freed } from "./notices/freed.js";
import type { Notifications } from "./notices/notifications.js";

/** Parts of the back end that the queue uses. */
export interface QueueParts {
  readonly gateway: Gateway<unknown>;
  readonly notifications: Notifications;
  readonly liveEntries: LiveEntries;
  readonly changes: Pick<Changes, "changed">;
  readonly freed: Freed;
}

/**
 * Creates a queue that reads due work from the table of operations. Receiving finds due operations and begins their
 * attempts in one statement. Announcements are not stored; they only wake up waiting consumers.
 */
export function createPostgresQueue({
  gateway,
  notifications,
  liveEntries,
  changes,
  freed,
}: QueueParts): Queue {
  /** The tenants that had the last turn, by definition and urgency. */
  const turns: Record<string, Row> = {};
  const source: DueSource = {
    look: async (free, { limit, token, signal }, repeated) => {
      const endLook = notifications.beginLook();
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
        ...limitValues(free),
        JSON.stringify(turns),
        limit,
        token,
        repeated,
      ]);
      const received: Received[] = [];
      let again = false;
      for (const row of rows) {
        if (row.outcome === "again") again = true;
        else if (row.outcome === "turns") turns[text(row, "definition")] = json(row, "meta");
        else received.push(toReceived(row));
      }
      if (!repeated && !again && received.length < limit) endLook(emptied(free, received));
      for (const { operationId, begun } of received) {
        if (begun === undefined) continue;
        changes.changed(operationId);
        freed.began(begun.operation);
      }
      return { received, again };
    },
    expect: notifications.expect,
  };
  return {
    publish: (announcements) =>
      notifications.notify(
        announcements.map(({ operationId, definition }) => ({ id: operationId, definition })),
      ),
    consume: ({ definitions }) => {
      for (const { name, limits, lanes } of definitions)
        if (limits !== undefined || lanes === true) freed.limited(name);
      return createDueConsumer(source, definitions, { waits: true });
    },
    consumeByTicket: ({ definitions }) => createDueConsumer(source, definitions, { waits: false }),
    close: notifications.close,
  };
}

/** Returns the definitions of which there was less due work than free slots. */
function emptied(free: readonly FreeDefinition[], received: readonly Received[]): readonly string[] {
  // A receipt ends early with an operation whose cancellation is requested.
  if (received.some(({ begun }) => begun === undefined)) return [];
  const counts = new Map<string, number>();
  for (const { definition } of received) counts.set(definition, (counts.get(definition) ?? 0) + 1);
  return free.filter(({ name, slots }) => (counts.get(name) ?? 0) < slots).map(({ name }) => name);
}

function toReceived(row: Row): Received {
  const received = { operationId: text(row, "id"), definition: text(row, "definition") };
  // The worker calls `beginAttempt` for operations with a cancellation request, which ends them.
  return row.outcome === "begun" ? { ...received, begun: toBegun(row) } : received;
}
