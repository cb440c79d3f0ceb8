import type { Announcement, Queue } from "async-request-reply";
import type { SqliteBackend } from "async-request-reply/sqlite";
import {
  type Capabilities,
  createManualClock,
  type PortHarness,
  type QueueHarness,
} from "async-request-reply/testing";
import { receivingBy } from "../../consumers.js";
import type { SqliteClient } from "./clients.js";
import { newDatabaseFile } from "./database-files.js";

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  getMany: true,
  list: true,
  stats: true,
  redrive: true,
  beginsAttempts: true,
};

/** Creates a harness whose cases each get a port of a new file on a manual clock. */
export function harnessOf<Port>(
  client: SqliteClient,
  portOf: (backend: SqliteBackend) => Port,
): PortHarness<Port> {
  const clock = createManualClock();
  return {
    capabilities,
    create: async () => {
      const file = newDatabaseFile(client);
      return { port: portOf(file.open({ runtime: { clock } })), close: () => file.remove() };
    },
    passTime: (ms) => clock.advance(ms),
    jumpTime: (ms) => clock.jump(ms),
  };
}

/**
 * Creates a harness for the queue that reads from the store. An announcement is delivered when its operation is due,
 * with a new id. The cases compare ids, so each delivery gets the id that was published for its operation.
 */
export function queueHarness(client: SqliteClient): QueueHarness {
  const clock = createManualClock();
  const backends = new Map<Queue, SqliteBackend>();
  const ids = new Map<string, string>();
  return {
    capabilities,
    deliversWithinMs: 1_500,
    create: async () => {
      const file = newDatabaseFile(client);
      const backend = file.open({ runtime: { clock } });
      const { queue } = backend;
      const port: Queue = {
        publish: (announcements) => queue.publish(announcements),
        ...receivingBy(queue, async (request, consumer) =>
          (await consumer.receive(request)).map((delivery) => {
            const { announcement } = delivery;
            const id = ids.get(announcement.operationId) ?? announcement.id;
            return { ...delivery, announcement: { ...announcement, id } };
          }),
        ),
        close: () => queue.close(),
      };
      backends.set(port, backend);
      return { port, close: () => file.remove() };
    },
    prepare: async (queue: Queue, { id, operationId, definition }: Announcement) => {
      ids.set(operationId, id);
      await backends.get(queue)?.operations.create({
        id: operationId,
        tenant: "a",
        definition,
        input: "null",
        retentionMs: 86_400_000,
      });
    },
    passTime: (ms) => clock.advance(ms),
  };
}
