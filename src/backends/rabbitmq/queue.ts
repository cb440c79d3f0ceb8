import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { Queue } from "../../ports/queue.js";
import { createCalls } from "../broker/calls.js";
import { createOrderingConsumer } from "../broker/ordering-consumer.js";
import type { OpenSource } from "../broker/source.js";
import { BROKER, createDeclarations } from "./declarations.js";
import { createPublisher } from "./publisher.js";
import { type RabbitmqQueueOptions, readRabbitmqSettings } from "./settings.js";
import { createRabbitmqSource } from "./source.js";

/**
 * Creates a queue on RabbitMQ, for `withQueue(backend, queue)`. Each definition has its own durable queue.
 *
 * Does not use the broker yet. Queues are declared on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createRabbitmqQueue(options: RabbitmqQueueOptions): Queue & AwaitUsing {
  const settings = readRabbitmqSettings(options);
  const call = createCalls(BROKER, settings);
  const declareQueue = createDeclarations(settings, call);
  const publisher = createPublisher(settings, call, declareQueue);
  const ends = new Set<() => Promise<void>>([publisher.close]);
  const openSource: OpenSource = (definition, arriving) => {
    const source = createRabbitmqSource({ settings, call, declareQueue }, definition, arriving);
    ends.add(source.end);
    return source;
  };
  return {
    publish: publisher.publish,
    consume: ({ definitions }) => createOrderingConsumer(openSource, settings, definitions),
    close: async () => {
      await Promise.all([...ends].map((end) => end()));
    },
    ...awaitUsing(),
  };
}
