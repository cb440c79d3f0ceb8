import { type CallBroker, unavailable } from "../shared/calls.js";
import { toQueueName } from "../shared/queue-name.js";
import type { AmqpChannel } from "./amqp.js";
import type { RabbitmqSettings } from "./settings.js";

/** An open channel. */
export interface OpenChannel<Channel> {
  readonly channel: Channel;
  /** Rejects with `QUEUE_UNAVAILABLE` when the channel is closed. */
  readonly closed: Promise<never>;
  /** Whether the channel can be used. */
  isOpen(): boolean;
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

/** Creates a keeper of one channel. A channel that the broker closed is replaced at its next use. */
export function createChannels<Channel extends AmqpChannel>(
  open: () => Promise<Channel>,
  call: CallBroker,
  declareQueue: DeclareQueue,
): Channels<Channel> {
  let current: OpenChannel<Channel> | undefined;
  // A connection that is being restored keeps all callers waiting, so they share one call.
  let opening: Promise<OpenChannel<Channel>> | undefined;

  function start(): Promise<OpenChannel<Channel>> {
    const started = open().then((channel) => watch(channel, declareQueue));
    const ended = (channel?: OpenChannel<Channel>): void => {
      if (opening !== started) return;
      opening = undefined;
      current = channel;
    };
    started.then(ended, () => ended());
    return started;
  }

  return {
    get: async () => {
      if (current?.isOpen()) return current;
      opening ??= start();
      const channel = opening;
      return call(() => channel);
    },
    close: async () => {
      const last = current;
      current = undefined;
      // Never waits for a connection that is being restored.
      opening?.then(
        ({ channel }) => closeQuietly(channel),
        () => {},
      );
      opening = undefined;
      // A broker that does not answer has nothing left to release.
      if (last?.isOpen()) await call(() => closeQuietly(last.channel)).catch(() => {});
    },
  };
}

function watch<Channel extends AmqpChannel>(
  channel: Channel,
  declareQueue: DeclareQueue,
): OpenChannel<Channel> {
  const declared = new Map<string, string>();
  let isOpen = true;
  let reason: unknown = new Error("The channel was closed.");
  const closed = new Promise<never>((_, reject) => {
    // The event `close` follows.
    channel.on("error", (error) => {
      reason = error;
    });
    channel.on("close", () => {
      isOpen = false;
      reject(unavailable(BROKER, reason));
    });
  });
  closed.catch(() => {});
  return {
    channel,
    closed,
    isOpen: () => isOpen,
    declare: async (definition) => {
      const known = declared.get(definition);
      if (known !== undefined) return known;
      const name = await declareQueue(channel, definition);
      declared.set(definition, name);
      return name;
    },
  };
}

async function closeQuietly(channel: AmqpChannel): Promise<void> {
  try {
    await channel.close();
  } catch {
    // It has been closed in the meantime.
  }
}

export const BROKER = "RabbitMQ";

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
