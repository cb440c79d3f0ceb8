import type { Delivery } from "../../ports/queue.js";
import { type CallBroker, unavailable } from "../broker/calls.js";
import type { Deliveries } from "../broker/deliveries.js";
import { readMessage } from "../broker/message.js";
import type { AmqpChannel, AmqpMessage } from "./amqp.js";
import { createChannels, type OpenChannel } from "./channels.js";
import { BROKER, type DeclareQueue } from "./declarations.js";
import type { RabbitmqSettings } from "./settings.js";

/** Dependencies shared by all lanes of a consumer. */
export interface LaneContext {
  readonly settings: Pick<RabbitmqSettings, "connection" | "observe" | "runtime">;
  readonly call: CallBroker;
  readonly declareQueue: DeclareQueue;
  readonly deliveries: Deliveries;
}

/** How a lane listens. */
export interface Listening {
  /** Maximum number of messages without an answer. */
  readonly count: number;
  /** Ends the listening when it resolves. */
  readonly ended: Promise<void>;
  /** Returns whether the worker has room for another delivery. A message without room goes back. */
  readonly hasRoom: () => boolean;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Receives the messages of one definition over its own channel, so that a broken queue does not affect others. */
export interface Lane {
  /** Whether the lane can listen now. It cannot while an earlier call hangs, and for a second after a failure. */
  isReady(): boolean;
  /** Receives messages until the end. Throws `QUEUE_UNAVAILABLE`. */
  listen(listening: Listening): Promise<void>;
  /** Takes up to `count` messages without waiting. Throws `QUEUE_UNAVAILABLE`. */
  takeAvailable(count: number): Promise<readonly Delivery[]>;
  /** Closes the channel. The broker gives unacked messages to other consumers. */
  close(): Promise<void>;
}

/** Time after which a queue that failed is used again. Milliseconds. */
export const PAUSE_AFTER_FAILURE_MS = 1_000;

const decoder = new TextDecoder();

/** Creates the lane of a definition. Opens its channel at first use. */
export function createLane(
  { settings: { connection, observe, runtime }, call, declareQueue, deliveries }: LaneContext,
  definition: string,
): Lane {
  const channels = createChannels(() => connection.createChannel(), call, declareQueue);
  let limited: { readonly channel: AmqpChannel; readonly count: number } | undefined;
  let pausedUntil = 0;
  let busy = false;

  /** Returns the delivery of a message. Acknowledges a message that is not an announcement. */
  function toDelivery(
    { channel, isOpen }: OpenChannel<AmqpChannel>,
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

  async function using<T>(work: (opened: OpenChannel<AmqpChannel>, queue: string) => Promise<T>): Promise<T> {
    try {
      const opened = await channels.get();
      return await work(opened, await opened.declare(definition));
    } catch (error) {
      pausedUntil = runtime.clock.now() + PAUSE_AFTER_FAILURE_MS;
      // Returns the messages that have arrived, and declares the queue again.
      void channels.close();
      throw unavailable(BROKER, error);
    }
  }

  /** Limits the unacked messages of later consumers. The broker remembers the limit of a channel. */
  async function limitTo(count: number, channel: AmqpChannel): Promise<void> {
    if (limited?.channel === channel && limited.count === count) return;
    limited = undefined;
    await call(() => channel.prefetch(count));
    limited = { channel, count };
  }

  function listenNow({ count, ended, hasRoom, onDelivery }: Listening): Promise<void> {
    return using(async (opened, queue) => {
      const { channel } = opened;
      let lose: (error: Error) => void = () => {};
      const lost = new Promise<never>((_, reject) => {
        lose = reject;
      });
      lost.catch(() => {});
      const onMessage = (message: AmqpMessage | null): void => {
        if (message === null) lose(new Error(`The queue of "${definition}" was deleted.`));
        else if (!hasRoom()) channel.nack(message, false, true);
        else {
          const delivery = toDelivery(opened, message);
          if (delivery !== undefined) onDelivery(delivery);
        }
      };
      await limitTo(count, channel);
      const { consumerTag } = await call(() => channel.consume(queue, onMessage));
      await Promise.race([ended, lost, opened.closed]);
      // Messages that were on their way arrive before the answer.
      await call(() => channel.cancel(consumerTag));
    });
  }

  return {
    isReady: () => !busy && runtime.clock.now() >= pausedUntil,
    listen: async (listening) => {
      busy = true;
      await listenNow(listening).finally(() => {
        busy = false;
      });
    },
    takeAvailable: (count) =>
      using(async (opened, queue) => {
        const taken: Delivery[] = [];
        while (taken.length < count) {
          const message = await call(() => opened.channel.get(queue));
          if (message === false) break;
          const delivery = toDelivery(opened, message);
          if (delivery !== undefined) taken.push(delivery);
        }
        return taken;
      }),
    close: channels.close,
  };
}
