import { AsyncReplyError, type Clock, type Queue } from "async-request-reply";
import {
  type Announcement,
  type Delivery,
  parseAnnouncement,
  type ReceiveRequest,
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
    options: { readonly persistent: true; readonly mandatory: true; readonly messageId: string },
    confirmed: (error: unknown) => void,
  ): boolean;
  /** Limits the number of unacked messages. */
  prefetch(count: number): Promise<unknown>;
  consume(
    queue: string,
    onMessage: (message: Message | null) => void,
  ): Promise<{ readonly consumerTag: string }>;
  cancel(consumerTag: string): Promise<unknown>;
  ack(message: Message): void;
  nack(message: Message, allUpTo: boolean, requeue: boolean): void;
}

const NACK_DELAY_MS = 1_000;

/**
 * Outlines a queue to prove that the port fits: one durable queue per definition, and consumers only while a call
 * waits.
 */
export function createRabbitQueue(channel: ConfirmChannel, clock: Clock): Queue {
  return {
    publish: async (announcements) => {
      await Promise.all(announcements.map((announcement) => publishOne(channel, announcement)));
    },
    consume: () => ({ receive: (request) => receive(channel, clock, request), close: async () => {} }),
    close: async () => {},
  };
}

async function receive(
  channel: ConfirmChannel,
  clock: Clock,
  { slots, limit, signal }: ReceiveRequest,
): Promise<readonly Delivery[]> {
  const pushed: Message[] = [];
  let wake: () => void = () => {};
  await channel.prefetch(limit);
  const consumers = await Promise.all(
    [...slots.keys()].map((definition) =>
      channel.consume(definition, (message) => {
        if (message !== null) pushed.push(message);
        wake();
      }),
    ),
  );
  if (pushed.length === 0 && !signal.aborted) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
  // The broker keeps sending until its consumers are cancelled. Surplus messages are returned.
  await Promise.all(consumers.map(({ consumerTag }) => channel.cancel(consumerTag)));
  for (const message of pushed.slice(limit)) channel.nack(message, false, true);
  return pushed.slice(0, limit).flatMap((message) => toDelivery(channel, clock, message));
}

function publishOne(channel: ConfirmChannel, announcement: Announcement): Promise<void> {
  return new Promise((resolve, reject) => {
    const content = new TextEncoder().encode(JSON.stringify(announcement));
    const options = { persistent: true, mandatory: true, messageId: announcement.id } as const;
    channel.publish("", announcement.definition, content, options, (cause) => {
      if (cause === null || cause === undefined) resolve();
      else
        reject(
          new AsyncReplyError("QUEUE_UNAVAILABLE", "The broker did not confirm the message.", { cause }),
        );
    });
  });
}

/** A message that is not an announcement belongs to no operation, so it is acked and dropped. */
function toDelivery(channel: ConfirmChannel, clock: Clock, message: Message): readonly Delivery[] {
  try {
    const announcement = parseAnnouncement(JSON.parse(new TextDecoder().decode(message.content)));
    return [
      {
        announcement,
        ack: async () => channel.ack(message),
        // An immediate requeue would loop while the store is unavailable.
        nack: async () => void clock.schedule(NACK_DELAY_MS, () => channel.nack(message, false, true)),
      },
    ];
  } catch {
    channel.ack(message);
    return [];
  }
}
