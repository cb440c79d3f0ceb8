import { type CallBroker, unavailable } from "../broker/calls.js";
import type { AmqpChannel } from "./amqp.js";
import { BROKER, type DeclareQueue } from "./declarations.js";

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
