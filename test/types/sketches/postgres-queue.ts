import type { Delivery, Queue } from "async-request-reply";
import { toBeginResult } from "./postgres-operation-store.js";
import { type Row, type SqlClient, text } from "./sql.js";

/** The channel on which the store says that there is something to do. */
export interface Notifications {
  notify(definitions: readonly string[]): Promise<void>;
  /** Resolves when one of them is named, after a while in any case, and when the signal is aborted. */
  wait(definitions: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Finds due work and begins it in one statement. The announcements themselves are never kept. */
const TAKE_AND_BEGIN = `
  update operations set token = gen_random_uuid()::text, attempt = attempt + 1, round = 0,
    previous_lost = previous_lost or token is not null,
    lease_ends_at = now() + $3 * interval '1 ms', announce_at = now() + $3 * interval '1 ms'
  where id in (select id from operations where definition = any($1) and settled_at is null and not cancel_requested
    and ((token is null and due_at <= now()) or lease_ends_at <= now()) order by due_at
    for update skip locked limit $2)
  returning *, 'begun' as outcome`;

export function createPostgresQueue(client: SqlClient, notifications: Notifications): Queue {
  return {
    publish: (announcements) =>
      notifications.notify([...new Set(announcements.map(({ definition }) => definition))]),
    receive: async ({ definitions, limit, leaseMs, signal }) => {
      for (;;) {
        const { rows } = await client.query(TAKE_AND_BEGIN, [definitions, limit, leaseMs]);
        if (rows.length > 0 || signal.aborted) return rows.flatMap(toDelivery);
        await notifications.wait(definitions, signal);
      }
    },
  };
}

function toDelivery(row: Row): readonly Delivery[] {
  const begun = toBeginResult(row);
  if (begun.outcome !== "begun") return [];
  const { id: operationId, definition } = begun.operation;
  const lease = { operationId, token: text(row, "token") };
  const announcement = { version: 1, id: `${operationId}.${lease.token}`, operationId, definition } as const;
  return [{ announcement, attempt: { lease, begun }, ack: async () => {}, nack: async () => {} }];
}
