import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { Queue } from "../../ports/queue.js";
import { type Ring, toRingMessage } from "../../ports/ring.js";
import { createCalls, unavailable } from "../shared/calls.js";
import { createListen } from "../shared/listen.js";
import { mergeRings, RING_TTL_MS, traceFieldsOf } from "../shared/rings.js";
import { readBrokerOptions } from "../shared/settings.js";
import type { AmqpConfirmChannel, AmqpPublishOptions } from "./amqp.js";
import { BROKER, createChannels, createDeclarations } from "./channels.js";
import { RABBITMQ_OPTIONS, type RabbitmqQueueOptions } from "./settings.js";
import { createRabbitmqSource } from "./source.js";

/**
 * Creates a queue on RabbitMQ, for `withQueue(backend, queue)`. Each definition has its own queue.
 *
 * Does not use the broker yet. Queues are declared on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createRabbitmqQueue(options: RabbitmqQueueOptions): Queue & AwaitUsing {
  const settings = readBrokerOptions(options, RABBITMQ_OPTIONS, "createRabbitmqQueue");
  const { connection } = settings;
  const call = createCalls(BROKER, settings);
  const context = { call, declareQueue: createDeclarations(settings, call) };
  const channels = createChannels(() => connection.createConfirmChannel(), context);

  async function publish(rings: readonly Ring[]): Promise<void> {
    try {
      for (const [definition, group] of mergeRings(rings)) {
        const { channel, declare } = await channels.get();
        const queue = await declare(definition);
        await call(() => Promise.all(group.map((ring) => send(channel, queue, ring))));
      }
    } catch (error) {
      // The next channel declares the queues again. One that hangs or that was closed while it opened is of no use.
      void channels.close();
      throw unavailable(BROKER, error);
    }
  }

  const open = (definition: string) => createRabbitmqSource(connection, context, definition);
  const { listen, close } = createListen({ settings, publish, open });
  return {
    publish,
    listen,
    close: async () => {
      await close();
      await channels.close();
    },
    ...awaitUsing(),
  };
}

function send(channel: AmqpConfirmChannel, queue: string, ring: Ring): Promise<void> {
  const content = Buffer.from(toRingMessage(ring));
  return new Promise((resolve, reject) => {
    channel.sendToQueue(queue, content, propertiesOf(ring), (error) => (error ? reject(error) : resolve()));
  });
}

function propertiesOf(ring: Ring): AmqpPublishOptions {
  return {
    persistent: false,
    // Not an argument of the queue, so that it also holds for queues that others have declared.
    expiration: `${RING_TTL_MS}`,
    contentType: "application/json",
    type: "ring",
    headers: { ...traceFieldsOf(ring) },
  };
}
