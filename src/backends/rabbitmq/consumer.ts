import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "../../ports/queue.js";
import { type CallBroker, unavailable } from "../broker/calls.js";
import { createDeliveries } from "../broker/deliveries.js";
import { readMessage } from "../broker/message.js";
import { createShares, type Share } from "../broker/share.js";
import type { AmqpChannel, AmqpMessage } from "./amqp.js";
import { BROKER, createChannels, type OpenChannel } from "./channels.js";
import type { RabbitmqSettings } from "./settings.js";

const decoder = new TextDecoder();

/** A consumer with a way to close its channel at once. */
export interface RabbitmqConsumer extends Consumer {
  /** Closes the channel. The broker gives unacked messages to other consumers. */
  end(): Promise<void>;
}

/**
 * Creates a consumer with one channel. Each call to `receive` starts a consumer of the broker and ends it with the
 * first message. A consumer that stays would be sent messages while the worker is busy, and idle workers would wait.
 */
export function createRabbitmqConsumer(
  settings: RabbitmqSettings,
  call: CallBroker,
  definitions: readonly ConsumedDefinition[],
): RabbitmqConsumer {
  const { connection, observe } = settings;
  const channels = createChannels(() => connection.createChannel(), settings, call);
  const deliveries = createDeliveries(settings);
  const sharesOf = createShares(definitions);

  /** Returns the delivery of a message. Acknowledges a message that is not an announcement. */
  function toDelivery(
    { channel, isOpen }: OpenChannel<AmqpChannel>,
    definition: string,
    message: AmqpMessage,
  ): Delivery | undefined {
    // A closed channel throws. Its messages are delivered again anyway.
    const answer = async (send: () => void): Promise<void> => {
      if (!isOpen()) throw unavailable(BROKER, new Error("The channel of this message was closed."));
      send();
    };
    const announcement = readMessage(decoder.decode(message.content), definition, observe);
    if (announcement !== undefined)
      return deliveries.create(announcement, {
        accept: () => answer(() => channel.ack(message)),
        giveBack: () => answer(() => channel.nack(message, false, true)),
      });
    channel.ack(message);
    return undefined;
  }

  async function takeAvailable(
    opened: OpenChannel<AmqpChannel>,
    shares: readonly Share[],
    limit: number,
  ): Promise<readonly Delivery[]> {
    const taken: Delivery[] = [];
    for (const { definition, count } of shares) {
      const queue = await opened.declare(definition);
      for (let left = count; left > 0 && taken.length < limit; ) {
        const message = await call(() => opened.channel.get(queue));
        if (message === false) break;
        const delivery = toDelivery(opened, definition, message);
        if (delivery === undefined) continue;
        taken.push(delivery);
        left -= 1;
      }
    }
    return taken;
  }

  async function takeFirst(
    opened: OpenChannel<AmqpChannel>,
    shares: readonly Share[],
    { limit, signal }: ReceiveRequest,
  ): Promise<readonly Delivery[]> {
    const { channel } = opened;
    const taken: Delivery[] = [];
    const tags: string[] = [];
    let end: () => void = () => {};
    let fail: (error: unknown) => void = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    ended.catch(() => {});
    const onMessage = (definition: string) => (message: AmqpMessage | null) => {
      if (message === null) return fail(new Error(`The queue of "${definition}" was deleted.`));
      // Several definitions can bring more than the limit together. Other workers may have free slots.
      if (taken.length >= limit) return channel.nack(message, false, true);
      const delivery = toDelivery(opened, definition, message);
      if (delivery !== undefined) taken.push(delivery);
      if (taken.length > 0) end();
    };
    signal.addEventListener("abort", end);
    try {
      for (const { definition, count } of shares) {
        const queue = await opened.declare(definition);
        await call(() => channel.prefetch(count));
        tags.push((await call(() => channel.consume(queue, onMessage(definition)))).consumerTag);
      }
      await Promise.race([ended, opened.closed]);
      // Messages that were on their way arrive before the answer.
      await call(() => Promise.all(tags.map((tag) => channel.cancel(tag))));
      return taken;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  return {
    receive: async (request) => {
      const opened = await channels.get();
      const shares = sharesOf(request);
      try {
        return request.signal.aborted
          ? await takeAvailable(opened, shares, request.limit)
          : await takeFirst(opened, shares, request);
      } catch (error) {
        // Returns the messages that have arrived, and declares the queues again.
        void channels.close();
        throw unavailable(BROKER, error);
      }
    },
    close: async () => {
      await deliveries.close();
      // An ack needs the channel of its message, so the channel stays open until the last one, for a limited time.
      call(() => deliveries.settled()).then(channels.close, channels.close);
    },
    end: channels.close,
  };
}
