import type { CallBroker } from "../shared/calls.js";
import { toQueueName } from "../shared/queue-name.js";
import type { AmqpChannel } from "./amqp.js";
import type { RabbitmqSettings } from "./settings.js";

export const BROKER = "RabbitMQ";

/** An open channel. */
interface OpenChannel<Channel> {
  readonly channel: Channel;
  /** Creates the queue of a definition once, or checks that it exists, and returns its name. */
  declare(definition: string): Promise<string>;
}

/** Keeps one channel open. */
export interface Channels<Channel> {
  /** Returns the open channel, or opens one. Throws `QUEUE_UNAVAILABLE`. */
  get(): Promise<OpenChannel<Channel>>;
  /** Closes the channel. The next `get` opens another one. Never rejects. */
  close(): Promise<void>;
}

/** Dependencies of all channels of a queue. */
export interface ChannelContext {
  readonly call: CallBroker;
  readonly declareQueue: DeclareQueue;
}

/**
 * Creates a keeper of one channel. A channel that the broker closed is replaced at its next use.
 *
 * @param onClose Called with the reason when the channel is closed.
 */
export function createChannels<Channel extends AmqpChannel>(
  open: () => Promise<Channel>,
  { call, declareQueue }: ChannelContext,
  onClose: (error: unknown) => void = () => {},
): Channels<Channel> {
  let current: { readonly opening: Promise<OpenChannel<Channel>>; isOpen: boolean } | undefined;

  // A connection that is being restored keeps all callers waiting, so they share one call.
  function start(): NonNullable<typeof current> {
    const forget = (): void => {
      if (current === started) current = undefined;
    };
    const opening = open().then((channel) => {
      started.isOpen = true;
      watch(channel, (reason) => {
        forget();
        onClose(reason);
      });
      return toOpenChannel(channel, declareQueue);
    });
    const started = { opening, isOpen: false };
    opening.catch(forget);
    return started;
  }

  return {
    get: () => {
      current ??= start();
      const { opening } = current;
      return call(() => opening);
    },
    close: async () => {
      const last = current;
      current = undefined;
      // A channel that has been closed in the meantime throws.
      const closing = last?.opening.then(({ channel }) => channel.close()).catch(() => {});
      // Never waits for a connection that is being restored. A broker that does not answer has nothing left to release.
      if (closing !== undefined && last?.isOpen) await call(() => closing).catch(() => {});
    },
  };
}

function watch(channel: AmqpChannel, onClose: (reason: unknown) => void): void {
  let reason: unknown = new Error("The channel was closed.");
  // The event `close` follows.
  channel.on("error", (error) => {
    reason = error;
  });
  channel.on("close", () => onClose(reason));
}

function toOpenChannel<Channel extends AmqpChannel>(
  channel: Channel,
  declareQueue: DeclareQueue,
): OpenChannel<Channel> {
  const declared = new Map<string, string>();
  return {
    channel,
    declare: async (definition) => {
      const name = declared.get(definition) ?? (await declareQueue(channel, definition));
      declared.set(definition, name);
      return name;
    },
  };
}

/**
 * Creates the queue of a definition over a channel, or checks that it exists, and returns its name.
 *
 * Throws `QUEUE_UNAVAILABLE`, or `INVALID_OPTION` if the name is too long.
 */
export type DeclareQueue = (channel: AmqpChannel, definition: string) => Promise<string>;

/**
 * Creates the function through which all channels of this process declare queues, one at a time per queue. Without this,
 * a channel could find a quorum queue that another one is just creating, and use it before it has a leader. RabbitMQ
 * 3.10 then closes the whole connection.
 */
export function createDeclarations(
  { prefix, queueType, declare }: Pick<RabbitmqSettings, "prefix" | "queueType" | "declare">,
  call: CallBroker,
): DeclareQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (channel, definition) => {
    const name = toQueueName(`${prefix}.`, definition, { broker: BROKER, option: "prefix" });
    const send = (): Promise<unknown> =>
      call(() =>
        declare
          ? channel.assertQueue(name, { durable: true, arguments: { "x-queue-type": queueType } })
          : channel.checkQueue(name),
      );
    const turn = (last.get(name) ?? Promise.resolve()).then(send, send);
    last.set(name, turn);
    await turn;
    return name;
  };
}
