import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { Queue } from "../../ports/queue.js";
import { type Ring, toRingMessage } from "../../ports/ring.js";
import { createCalls } from "../shared/calls.js";
import { createListen } from "../shared/listen.js";
import { toSafeName } from "../shared/queue-name.js";
import { MAX_MESSAGES, mergeRings, traceFieldsOf } from "../shared/rings.js";
import { readBrokerOptions } from "../shared/settings.js";
import type { BullmqQueue } from "./bullmq.js";
import { createPart, type Part } from "./part.js";
import { BULLMQ_OPTIONS, type BullmqQueueOptions } from "./settings.js";
import { BROKER, createBullmqSource } from "./source.js";

/**
 * Creates a queue on BullMQ, for `withQueue(backend, queue)`. Each definition has its own queue, whose jobs are rings. Nothing but
 * waking up workers depends on the states, locks and attempts of these jobs.
 *
 * Does not use Redis yet. `close()` closes the instances of BullMQ that it created.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createBullmqQueue<Connection>(options: BullmqQueueOptions<Connection>): Queue & AwaitUsing {
  const settings = readBrokerOptions(options, BULLMQ_OPTIONS, "createBullmqQueue");
  const { bullmq, connection, runtime } = settings;
  const call = createCalls(BROKER, settings);
  const shared = { connection, prefix: `{${settings.prefix}}` };
  const queues = new Map<string, Part<BullmqQueue>>();
  let published = 0;

  function queueOf(definition: string): BullmqQueue {
    const queue =
      queues.get(definition) ?? createPart(() => new bullmq.Queue(toSafeName(definition), shared), call);
    queues.set(definition, queue);
    return queue.get();
  }

  /**
   * Jobs do not expire. Instead, BullMQ adds no job whose id another one has, so no more than these wait. Their number makes no
   * difference to a worker that is late.
   */
  const nextJobId = (): string => `ring-${published++ % MAX_MESSAGES}`;

  async function publish(rings: readonly Ring[]): Promise<void> {
    const adding = [...mergeRings(rings)].map(([definition, group]) => {
      const jobs = group.map((ring) => toJob(ring, nextJobId()));
      return call(() => queueOf(definition).addBulk(jobs));
    });
    await Promise.all(adding);
  }

  const removed = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } };
  const open = (definition: string) =>
    createBullmqSource(
      () => new bullmq.Worker(toSafeName(definition), null, { ...shared, ...removed, autorun: false }),
      runtime,
      call,
    );
  const { listen, close } = createListen({ settings, publish, open });
  return {
    publish,
    listen,
    close: async () => {
      await close();
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
    ...awaitUsing(),
  };
}

function toJob(ring: Ring, jobId: string) {
  const fields = traceFieldsOf(ring);
  const opts = { jobId, removeOnComplete: true, removeOnFail: true };
  return {
    name: "ring",
    data: toRingMessage(ring),
    // The form in which the instrumentation of BullMQ stores a trace context.
    opts: fields === undefined ? opts : { ...opts, telemetry: { metadata: JSON.stringify(fields) } },
  };
}
