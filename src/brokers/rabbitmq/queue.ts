import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import { AsyncReplyError } from "../../contract/errors.js";
import type { Announcement } from "../../ports/announcement.js";
import type { Queue } from "../../ports/queue.js";
import { type CallBroker, createCalls, unavailable } from "../shared/calls.js";
import { toMessage, traceFieldsOf } from "../shared/message.js";
import { createOrderingConsumer } from "../shared/ordering-consumer.js";
import { readBrokerOptions } from "../shared/settings.js";
import type { OpenSource } from "../shared/source.js";
import type { AmqpConfirmChannel, AmqpPublishOptions } from "./amqp.js";
import {
  BROKER,
  type Channels,
  createChannels,
  createDeclarations,
  type DeclareQueue,
  type OpenChannel,
} from "./channels.js";
import { RABBITMQ_OPTIONS, type RabbitmqQueueOptions, type RabbitmqSettings } from "./settings.js";
import { createRabbitmqSource } from "./source.js";

/**
 * Creates a queue on RabbitMQ, for `withQueue(backend, queue)`. Each definition has its own durable queue.
 *
 * Does not use the broker yet. Queues are declared on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createRabbitmqQueue(options: RabbitmqQueueOptions): Queue & AwaitUsing {
  const settings = readBrokerOptions(options, RABBITMQ_OPTIONS, "createRabbitmqQueue");
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

/** Publishes announcements. */
interface Publisher {
  /** Resolves when the broker has confirmed all announcements. Throws `QUEUE_UNAVAILABLE`. */
  publish(announcements: readonly Announcement[]): Promise<void>;
  /** Closes the channel. */
  close(): Promise<void>;
}

/** Creates a publisher with one channel, which it opens at first use. */
function createPublisher(
  { connection }: Pick<RabbitmqSettings, "connection">,
  call: CallBroker,
  declareQueue: DeclareQueue,
): Publisher {
  // Ids of messages that the broker returned. It confirms a message right after it has returned it.
  const returned = new Set<unknown>();
  const channels: Channels<AmqpConfirmChannel> = createChannels(
    async () => {
      const channel = await connection.createConfirmChannel();
      channel.on("return", ({ properties }) => void returned.add(properties.messageId));
      return channel;
    },
    call,
    declareQueue,
  );

  async function send(
    opened: OpenChannel<AmqpConfirmChannel>,
    queue: string,
    announcement: Announcement,
  ): Promise<void> {
    const content = Buffer.from(toMessage(announcement));
    await new Promise<void>((resolve, reject) => {
      opened.channel.sendToQueue(queue, content, propertiesOf(announcement), (error) => {
        if (returned.delete(announcement.id)) reject(missing(queue));
        else if (error) reject(error);
        else resolve();
      });
    });
  }

  return {
    publish: async (announcements) => {
      if (announcements.length === 0) return;
      try {
        const opened = await channels.get();
        const queues = new Map<string, string>();
        for (const { definition } of announcements)
          if (!queues.has(definition)) queues.set(definition, await opened.declare(definition));
        await call(() =>
          Promise.all(announcements.map((each) => send(opened, queues.get(each.definition) ?? "", each))),
        );
      } catch (error) {
        // The next channel declares the queues again. One that hangs or that was closed while it opened is of no use.
        void channels.close();
        throw unavailable(BROKER, error);
      }
    },
    close: channels.close,
  };
}

function propertiesOf(announcement: Announcement): AmqpPublishOptions {
  return {
    persistent: true,
    mandatory: true,
    messageId: announcement.id,
    correlationId: announcement.operationId,
    contentType: "application/json",
    type: "announcement",
    headers: { ...traceFieldsOf(announcement) },
  };
}

function missing(queue: string): AsyncReplyError {
  return new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue is unavailable.", {
    eventDetail: `RabbitMQ has no queue "${queue}". It was deleted, and is declared again with the next announcement.`,
  });
}
