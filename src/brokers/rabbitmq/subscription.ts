import type { Clock } from "../../ports/runtime.js";
import type { CallBroker } from "../shared/calls.js";
import type { AmqpChannel, AmqpMessage } from "./amqp.js";
import type { OpenChannel } from "./channels.js";

type Channel = OpenChannel<AmqpChannel>;

/** Makes the broker send the messages of one queue, with at most one consumer at a time. */
export interface Subscription {
  /** Starts a consumer for a worker with `room` free slots, unless the current one suits it. */
  fit(room: number, channel: Channel, queue: string): Promise<void>;
  /** Ends the consumer if it can bring more than `room` messages. */
  reduceTo(room: number): Promise<void>;
  /** Forgets the consumer, because its channel is being closed. */
  forget(): void;
}

/** Functions that a subscription calls. */
export interface SubscriptionHandlers {
  /** Takes a message. Call `onAnswer` with its ack or nack. */
  readonly onMessage: (channel: Channel, message: AmqpMessage, onAnswer: () => void) => void;
  /** Called when the broker has ended the consumer, or sends it nothing. */
  readonly onLost: (error: unknown) => void;
}

/** A consumer of the broker. */
interface Current {
  readonly channel: Channel;
  readonly tag: string;
  /** Maximum number of unanswered messages. */
  readonly prefetch: number;
  readonly counter: { unanswered: number; received: number };
}

/** The consumer is replaced if the worker has so many times more free slots than it may send messages. */
const GROWTH = 4;
/** Time without a message after which a consumer is checked. Milliseconds. */
const SILENCE_MS = 10_000;

/**
 * Creates a subscription without a consumer. A consumer may send messages for half of the free slots, so it stays until
 * more than half of them are taken. The worker then ends it before it acknowledges anything, so a message for which
 * there is no room is not even sent. Unanswered messages that the worker has taken count against a consumer until it
 * is replaced.
 */
export function createSubscription(
  call: CallBroker,
  clock: Clock,
  { onMessage, onLost }: SubscriptionHandlers,
): Subscription {
  let current: Current | undefined;
  let cancelCheck: () => void = () => {};
  let limited: { readonly channel: Channel; readonly prefetch: number } | undefined;
  let watched: Channel | undefined;
  let ending: Promise<unknown> = Promise.resolve();

  function leave(): void {
    current = undefined;
    cancelCheck();
  }

  function lose(channel: Channel, error: unknown): void {
    if (current?.channel !== channel) return;
    leave();
    onLost(error);
  }

  function watch(channel: Channel): void {
    if (watched === channel) return;
    watched = channel;
    channel.closed.catch((error: unknown) => lose(channel, error));
  }

  function checkLater(consumer: Current, queue: string): void {
    const { received } = consumer.counter;
    cancelCheck = clock.schedule(SILENCE_MS, () => {
      if (consumer.counter.received === received) void check(consumer, queue);
      else checkLater(consumer, queue);
    });
  }

  /**
   * Replaces a consumer that gets nothing although messages wait. RabbitMQ 3.10 gives the consumers of a deleted quorum
   * queue to the next one of that name, if it is created at once, and sends them nothing.
   */
  async function check(consumer: Current, queue: string): Promise<void> {
    const { channel, counter } = consumer;
    try {
      const { messageCount } = await call(() => channel.channel.checkQueue(queue));
      if (current !== consumer) return;
      if (messageCount > 0 && counter.unanswered === 0)
        lose(channel, new Error(`The queue "${queue}" has ${messageCount} messages, and sends none.`));
      else checkLater(consumer, queue);
    } catch (error) {
      if (current === consumer) lose(channel, error);
    }
  }

  /** Limits the unacked messages of later consumers. The broker remembers the limit of a channel. */
  async function limitTo(prefetch: number, channel: Channel): Promise<void> {
    if (limited?.channel === channel && limited.prefetch === prefetch) return;
    limited = undefined;
    await call(() => channel.channel.prefetch(prefetch));
    limited = { channel, prefetch };
  }

  async function start(prefetch: number, channel: Channel, queue: string): Promise<void> {
    await limitTo(prefetch, channel);
    const counter = { unanswered: 0, received: 0 };
    const onAnswer = (): void => {
      counter.unanswered -= 1;
    };
    const { consumerTag } = await call(() =>
      channel.channel.consume(queue, (message) => {
        if (message === null) return lose(channel, new Error(`The queue "${queue}" was deleted.`));
        counter.unanswered += 1;
        counter.received += 1;
        onMessage(channel, message, onAnswer);
      }),
    );
    current = { channel, tag: consumerTag, prefetch, counter };
    watch(channel);
    checkLater(current, queue);
  }

  async function stop(): Promise<void> {
    if (current !== undefined) {
      const { channel, tag } = current;
      leave();
      ending = call(() => channel.channel.cancel(tag));
    }
    await ending;
  }

  function suits({ prefetch, counter }: Current, room: number): boolean {
    return prefetch <= room && room < GROWTH * prefetch && 2 * counter.unanswered <= prefetch;
  }

  return {
    fit: async (room, channel, queue) => {
      if (current?.channel === channel && suits(current, room)) return;
      await stop();
      await start(Math.ceil(room / 2), channel, queue);
    },
    reduceTo: async (room) => {
      if (current !== undefined && current.prefetch > room) await stop();
    },
    forget: () => {
      leave();
      ending = Promise.resolve();
    },
  };
}
