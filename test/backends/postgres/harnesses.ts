import type { Announcement, Backend, Queue, Submissions } from "async-request-reply";
import type { Capabilities, PortHarness, QueueHarness } from "async-request-reply/testing";
import { receivingBy } from "../../consumers.js";
import { type Execute, type ManualTime, stopTime } from "./manual-time.js";

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  list: true,
  getMany: true,
  stats: true,
  redrive: true,
  beginsAttempts: true,
};

/** A new, migrated back end and a way to change its schema. */
export interface Fresh {
  readonly backend: Backend & { readonly submissions: Submissions<unknown> };
  readonly schema: string;
  readonly execute: Execute;
}

/** Creates a harness whose cases each get a new schema in which time stands still. */
export function harnessOf<Port>(
  open: () => Promise<Fresh>,
  portOf: (backend: Fresh["backend"]) => Port,
): PortHarness<Port> {
  let time: ManualTime | undefined;
  return {
    capabilities,
    create: async () => {
      const { backend, schema, execute } = await open();
      time = await stopTime(execute, schema);
      return { port: portOf(backend), close: () => backend.close() };
    },
    passTime: async (ms) => time?.advance(ms),
    jumpTime: async (ms) => time?.advance(ms),
  };
}

/**
 * Creates a harness for the queue that reads from the store. An announcement is delivered when its operation is due,
 * with a new id. The cases compare ids, so each delivery gets the id that was published for its operation.
 */
export function queueHarness(open: () => Promise<Fresh>): QueueHarness {
  const backends = new Map<Queue, Fresh["backend"]>();
  const ids = new Map<string, string>();
  return {
    capabilities: { ...capabilities, leaseGranularityMs: 100 },
    deliversWithinMs: 1_500,
    create: async () => {
      const { backend } = await open();
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
      return { port, close: () => backend.close() };
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
    passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
