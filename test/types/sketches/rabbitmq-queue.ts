import { AsyncReplyError, type Queue } from "async-request-reply";
import {
  type Listening,
  parseRingMessage,
  type Ring,
  type RingListener,
  toRingMessage,
} from "async-request-reply/ports";

interface Message {
  readonly content: Uint8Array;
}

/** The parts of a confirm channel that the queue uses. */
export interface ConfirmChannel {
  publish(
    exchange: string,
    routingKey: string,
    content: Uint8Array,
    options: { readonly persistent: false; readonly expiration: string },
    confirmed: (error: unknown) => void,
  ): boolean;
  consume(
    queue: string,
    onMessage: (message: Message | null) => void,
  ): Promise<{ readonly consumerTag: string }>;
  cancel(consumerTag: string): Promise<unknown>;
  ack(message: Message): void;
}

/**
 * Outlines a queue to prove that the port fits: one queue per definition, and a consumer for each definition that a worker
 * wants.
 */
export function createRabbitQueue(channel: ConfirmChannel): Queue {
  return {
    publish: async (rings) => {
      await Promise.all(rings.map((ring) => publishOne(channel, ring)));
    },
    listen: (listener) => listen(channel, listener),
    close: async () => {},
  };
}

function listen(channel: ConfirmChannel, { onRing, onError }: RingListener): Listening {
  const consumers = new Map<string, Promise<() => Promise<unknown>>>();
  /** Definitions of which the worker has heard a ring since it last kept free slots. */
  const heard = new Set<string>();

  async function start(definition: string): Promise<() => Promise<unknown>> {
    const { consumerTag } = await channel.consume(definition, (message) => {
      if (message === null) return;
      channel.ack(message);
      if (!isRingOf(definition, message)) return;
      heard.add(definition);
      onRing();
    });
    return () => channel.cancel(consumerTag);
  }

  async function end(definition: string): Promise<void> {
    const consumer = consumers.get(definition);
    consumers.delete(definition);
    await (await consumer)?.();
    // There may be more work than this worker could take.
    if (heard.delete(definition)) await publishOne(channel, { definition });
  }

  const want = (definitions: ReadonlySet<string>): void => {
    for (const definition of consumers.keys())
      if (definitions.has(definition)) heard.delete(definition);
      else end(definition).catch(onError);
    for (const definition of definitions) {
      if (consumers.has(definition)) continue;
      const started = start(definition);
      consumers.set(definition, started);
      started.catch(onError);
    }
  };

  return {
    want,
    close: async () => void (await Promise.allSettled([...consumers.keys()].map(end))),
  };
}

function publishOne(channel: ConfirmChannel, ring: Ring): Promise<void> {
  return new Promise((resolve, reject) => {
    const content = new TextEncoder().encode(toRingMessage(ring));
    const options = { persistent: false, expiration: "10000" } as const;
    channel.publish("", ring.definition, content, options, (cause) => {
      if (cause === null || cause === undefined) resolve();
      else
        reject(
          new AsyncReplyError("QUEUE_UNAVAILABLE", "The broker did not confirm the message.", { cause }),
        );
    });
  });
}

/** A message that is not a ring is acked and dropped. */
function isRingOf(definition: string, { content }: Message): boolean {
  try {
    return parseRingMessage(new TextDecoder().decode(content)).definition === definition;
  } catch {
    return false;
  }
}
