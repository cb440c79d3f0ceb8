import { createWaiters } from "../../backends/shared/waiters.js";
import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { Announcement } from "../../ports/announcement.js";
import type { Queue } from "../../ports/queue.js";
import { createCalls } from "../shared/calls.js";
import { toMessage, traceFieldsOf } from "../shared/message.js";
import { readBrokerOptions } from "../shared/settings.js";
import { byDefinition } from "../shared/share.js";
import { createBullmqConsumer } from "./consumer.js";
import { createParts } from "./parts.js";
import { BULLMQ_OPTIONS, type BullmqQueueOptions } from "./settings.js";

/** Completed and failed jobs are of no use, because the store has the operation. */
const REMOVED = { removeOnComplete: true, removeOnFail: true };

/**
 * Creates a queue on BullMQ, for `withQueue(backend, queue)`. Each definition has its own queue, whose
 * jobs are announcements. Nothing but waking up workers depends on the states, locks and attempts of these jobs.
 *
 * Does not use Redis yet. `close()` closes the instances of BullMQ that it created.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createBullmqQueue<Connection>(options: BullmqQueueOptions<Connection>): Queue & AwaitUsing {
  const settings = readBrokerOptions(options, BULLMQ_OPTIONS, "createBullmqQueue");
  const { pollIntervalMs: pollMs, runtime } = settings;
  const call = createCalls("Redis", settings);
  const waiters = createWaiters({ pollMs, clock: runtime.clock, onWait: () => {} });
  const parts = createParts(settings, call, (definition) => waiters.wake(new Set([definition])));
  return {
    publish: async (announcements) => {
      const adding = [...byDefinition(announcements)].map(([definition, group]) => {
        const jobs = group.map(toJob);
        return call(() => parts.queueOf(definition).addBulk(jobs));
      });
      await Promise.all(adding);
    },
    consume: ({ definitions }) => createBullmqConsumer({ settings, parts, waiters, call }, definitions),
    close: async () => {
      waiters.wake();
      await parts.close();
    },
    ...awaitUsing(),
  };
}

function toJob(announcement: Announcement) {
  const fields = traceFieldsOf(announcement);
  const opts = { jobId: announcement.id, ...REMOVED };
  return {
    name: "announcement",
    data: toMessage(announcement),
    // The form in which the instrumentation of BullMQ stores a trace context.
    opts: fields === undefined ? opts : { ...opts, telemetry: { metadata: JSON.stringify(fields) } },
  };
}
