import type { Delivery } from "../../ports/queue.js";
import { type CallBroker, unavailable } from "../shared/calls.js";
import { createDeliveries } from "../shared/deliveries.js";
import { readMessage } from "../shared/message.js";
import type { Arriving, Source } from "../shared/source.js";
import type { AmqpChannel, AmqpMessage } from "./amqp.js";
import { BROKER, createChannels, type DeclareQueue, type OpenChannel } from "./channels.js";
import type { RabbitmqSettings } from "./settings.js";
import { createSubscription } from "./subscription.js";

/** A source with a way to close its channel at once. */
export interface RabbitmqSource extends Source {
  /** Closes the channel. The broker gives unacked messages to other consumers. Never rejects. */
  end(): Promise<void>;
}

/** Dependencies that the sources share with their queue. */
export interface SourceContext {
  readonly settings: Pick<RabbitmqSettings, "connection" | "observe" | "retryDelayMs" | "runtime">;
  readonly call: CallBroker;
  readonly declareQueue: DeclareQueue;
}

type Channel = OpenChannel<AmqpChannel>;

const decoder = new TextDecoder();

/**
 * Creates the source of a definition. It has its own channel, so that a broken queue does not affect others. The
 * channel is opened at first use.
 */
export function createRabbitmqSource(
  { settings, call, declareQueue }: SourceContext,
  definition: string,
  { hasRoom, onDelivery, onFailure }: Arriving,
): RabbitmqSource {
  const { connection, observe } = settings;
  const channels = createChannels(() => connection.createChannel(), call, declareQueue);
  const deliveries = createDeliveries(settings);
  const subscription = createSubscription(call, settings.runtime.clock, {
    onMessage: arrive,
    onLost: (error) => onFailure(failed(error)),
  });

  function failed(error: unknown): Error {
    subscription.forget();
    // Returns the messages that have arrived, and declares the queue again.
    void channels.close();
    return unavailable(BROKER, error);
  }

  async function using<T>(work: (opened: Channel, queue: string) => Promise<T>): Promise<T> {
    try {
      const opened = await channels.get();
      return await work(opened, await opened.declare(definition));
    } catch (error) {
      throw failed(error);
    }
  }

  function reduceTo(count: number): void {
    subscription.reduceTo(count).catch((error: unknown) => onFailure(failed(error)));
  }

  /** Returns the delivery of a message. Acknowledges a message that is not an announcement. */
  function toDelivery(
    { channel, isOpen }: Channel,
    message: AmqpMessage,
    onAnswer: () => void,
  ): Delivery | undefined {
    const announcement = readMessage(decoder.decode(message.content), definition, observe);
    // A closed channel throws. Its messages are delivered again anyway.
    const answer = async (send: () => void): Promise<void> => {
      onAnswer();
      if (!isOpen()) throw unavailable(BROKER, new Error("The channel of this message was closed."));
      send();
    };
    if (announcement !== undefined)
      return deliveries.create(announcement, {
        accept: () => answer(() => channel.ack(message)),
        giveBack: () => answer(() => channel.nack(message, false, true)),
      });
    onAnswer();
    channel.ack(message);
    return undefined;
  }

  function arrive(opened: Channel, message: AmqpMessage, onAnswer: () => void = () => {}): void {
    if (hasRoom()) {
      const delivery = toDelivery(opened, message, onAnswer);
      if (delivery !== undefined) onDelivery(delivery, () => void delivery.nack());
    } else {
      // Ends the subscription first, so that the message goes to another worker.
      reduceTo(0);
      onAnswer();
      opened.channel.nack(message, false, true);
    }
  }

  async function end(): Promise<void> {
    subscription.forget();
    await channels.close();
  }

  return {
    order: (count) => using((opened, queue) => subscription.fit(count, opened, queue)),
    orderAvailable: () =>
      using(async (opened, queue) => {
        // A message that cannot be read takes no room.
        while (hasRoom()) {
          const message = await call(() => opened.channel.get(queue));
          if (message === false) break;
          arrive(opened, message);
        }
        return false;
      }),
    reduceTo,
    close: async () => {
      reduceTo(0);
      await deliveries.close();
      // An ack needs the channel of its message, so it stays open until the last one, for a limited time.
      call(() => deliveries.settled()).then(end, end);
    },
    end,
  };
}
