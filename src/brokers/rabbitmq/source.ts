import { unavailable } from "../shared/calls.js";
import type { Source } from "../shared/listen.js";
import type { AmqpConnection } from "./amqp.js";
import { BROKER, type ChannelContext, createChannels } from "./channels.js";
import { type Consumer, startConsumer } from "./consumer.js";

const decoder = new TextDecoder();
const ignore = (): void => {};

/**
 * Creates the source of a definition. It has its own channel, so that a broken queue does not affect others. The
 * channel is opened at first use.
 */
export function createRabbitmqSource(
  connection: AmqpConnection,
  context: ChannelContext,
  definition: string,
): Source {
  let consumer: Promise<Consumer> | undefined;
  const channels = createChannels(openChannel, context, (error) =>
    consumer?.then((started) => started.fail(error), ignore),
  );

  async function openChannel() {
    const channel = await connection.createChannel();
    await channel.prefetch(1);
    return channel;
  }

  async function start(): Promise<Consumer> {
    const { channel, declare } = await channels.get();
    return startConsumer(channel, await declare(definition), context.call);
  }

  function rest(): void {
    consumer?.then((started) => started.end(), ignore);
    consumer = undefined;
  }

  return {
    take: async () => {
      try {
        if (consumer !== undefined) {
          const message = await (await consumer).take();
          return message && decoder.decode(message.content);
        }
        consumer = start();
        await consumer;
        return undefined;
      } catch (error) {
        consumer = undefined;
        // The next channel declares the queue again.
        void channels.close();
        throw unavailable(BROKER, error);
      }
    },
    rest,
    close: async () => {
      rest();
      await channels.close();
    },
  };
}
