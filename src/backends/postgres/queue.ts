import type { Queue } from "../../ports/queue.js";
import { createDueConsumer, type DueSource } from "../shared/due-consumer.js";
import type { MakeClaim } from "./claims.js";
import type { Freed } from "./notices/freed.js";
import type { Notifications } from "./notices/notifications.js";

/** Parts of the back end that the queue uses. */
export interface QueueParts {
  readonly claim: MakeClaim;
  readonly notifications: Notifications;
  readonly freed: Pick<Freed, "limited">;
}

/** Creates a queue whose receipts claim due work. Announcements are not stored; they only wake up waiting consumers. */
export function createPostgresQueue({ claim, notifications, freed }: QueueParts): Queue {
  const source: DueSource = { claim, expect: notifications.expect };
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
