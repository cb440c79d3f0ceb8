import type { Queue } from "../../ports/queue.js";
import { createCalls } from "../broker/calls.js";
import { createRabbitmqConsumer } from "./consumer.js";
import { BROKER, createDeclarations } from "./declarations.js";
import { createPublisher } from "./publisher.js";
import { type RabbitmqQueueOptions, readRabbitmqSettings } from "./settings.js";

/**
 * Creates a queue on RabbitMQ, for `withQueue(backend, queue)`. Each definition has its own durable queue.
 *
 * Does not use the broker yet. Queues are declared on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createRabbitmqQueue(options: RabbitmqQueueOptions): Queue {
  const settings = readRabbitmqSettings(options);
  const call = createCalls(BROKER, settings);
  const declareQueue = createDeclarations(settings, call);
  const publisher = createPublisher(settings, call, declareQueue);
  const ends = new Set<() => Promise<void>>([publisher.close]);
  return {
    publish: publisher.publish,
    consume: ({ definitions }) => {
      const { end, ...consumer } = createRabbitmqConsumer(settings, { call, declareQueue }, definitions);
      ends.add(end);
      return consumer;
    },
    close: async () => {
      await Promise.all([...ends].map((end) => end()));
    },
  };
}
