import type { Backend } from "../../../ports/backend.js";
import type { Consumer, Delivery, Queue } from "../../../ports/queue.js";
import type { OpenPort } from "../port-case.js";
import type { QueueHarness } from "./fixtures.js";

/** The parts of a back end that {@link createStoreQueueHarness} uses. */
export type StoreWithQueue = Pick<Backend, "operations" | "queue">;

/** Options of {@link createStoreQueueHarness}. */
export interface StoreQueueHarnessOptions extends Omit<QueueHarness, "create" | "prepare"> {
  /** Creates a new, empty back end. `close` is called at the end of the case. */
  open(): Promise<OpenPort<StoreWithQueue>>;
  /** Sets the clock of the back end forward, or back if `ms` is negative. Needed if `capabilities` has `jumpsBack`. */
  jumpTime?(ms: number): Promise<void>;
}

interface Opened {
  readonly operations: StoreWithQueue["operations"];
  /** Ids of announcements by operation. */
  readonly ids: Map<string, string>;
}

/**
 * Creates a harness for a queue that reads due work from the store. Such a queue does not keep announcements, so it
 * delivers operations that are due, under new ids. The cases of `queueCases` compare ids. The harness creates the
 * operation of each announcement and gives its deliveries the id of the announcement.
 */
export function createStoreQueueHarness({ open, ...harness }: StoreQueueHarnessOptions): QueueHarness {
  const opened = new WeakMap<Queue, Opened>();
  return {
    ...harness,
    create: async () => {
      const { port: backend, close } = await open();
      const ids = new Map<string, string>();
      const port = withIds(backend.queue, ids);
      opened.set(port, { operations: backend.operations, ids });
      return { port, close: async () => close?.() };
    },
    prepare: async (queue, { id, operationId, definition }, members) => {
      const found = opened.get(queue);
      if (found === undefined)
        throw new Error("This harness did not create the queue. Pass the `port` that `create` resolved to.");
      found.ids.set(operationId, id);
      const { operations } = found;
      const retentionMs = 86_400_000;
      const operation = { id: operationId, tenant: "a", definition, input: "null", retentionMs };
      await operations.create({ ...operation, ...members });
    },
  };
}

/** Wraps a queue so that each delivery has the id of its operation's announcement. */
function withIds(queue: Queue, ids: ReadonlyMap<string, string>): Queue {
  const withId = (delivery: Delivery): Delivery => {
    const { announcement } = delivery;
    const id = ids.get(announcement.operationId) ?? announcement.id;
    return { ...delivery, announcement: { ...announcement, id } };
  };
  const withConsumer = (consumer: Consumer): Consumer => ({
    receive: async (request) => (await consumer.receive(request)).map(withId),
    close: () => consumer.close(),
  });
  const { consumeByTicket } = queue;
  return {
    publish: (announcements) => queue.publish(announcements),
    consume: (request) => withConsumer(queue.consume(request)),
    ...(consumeByTicket && {
      consumeByTicket: (request) => withConsumer(consumeByTicket.call(queue, request)),
    }),
    close: () => queue.close(),
  };
}
