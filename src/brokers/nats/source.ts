import { type CallBroker, unavailable } from "../shared/calls.js";
import { onlyOnce } from "../shared/deliveries.js";
import { readMessage } from "../shared/message.js";
import type { Arriving, Source } from "../shared/source.js";
import type { JetStreamMessage, JetStreamMessages } from "./jetstream.js";
import type { NatsSettings } from "./settings.js";
import { BROKER, type Stream } from "./stream.js";

/** Dependencies that the sources share with their queue. */
export interface SourceContext {
  readonly settings: Pick<NatsSettings, "observe" | "retryDelayMs" | "runtime">;
  readonly stream: Stream;
  readonly call: CallBroker;
}

/** Time after which an unanswered request is renewed. Milliseconds. */
const EXPIRES_MS = 5_000;
/** Interval at which the server says that a request is still open. Without it for twice as long, the request fails. */
const HEARTBEAT_MS = 1_000;
/**
 * Time after which a request is closed even if its end is unknown. After a lost connection, the client waits for a
 * cluster without a leader, and does not end the request. Milliseconds.
 */
const GIVE_UP_MS = EXPIRES_MS + 2 * HEARTBEAT_MS;

const decoder = new TextDecoder();

/**
 * Creates the source of a definition. A request stays open over several calls to `receive`, because ending it early
 * would lose the messages on their way until their acknowledgment is overdue.
 */
export function createNatsSource(
  { settings: { observe, retryDelayMs, runtime }, stream, call }: SourceContext,
  definition: string,
  { hasRoom, onDelivery, onEnd, onFailure }: Arriving,
): Source {
  const { clock } = runtime;
  const open = new Set<JetStreamMessages>();
  let ordered = 0;
  /** Messages that this source has returned since it last looked. The server does not count them as pending. */
  let returned: number | undefined;

  function arrive(message: JetStreamMessage): void {
    const announcement = readMessage(decoder.decode(message.data), definition, observe);
    if (announcement === undefined) message.ack();
    else if (!hasRoom()) {
      returned = (returned ?? 0) + 1;
      message.nak();
    } else {
      const once = onlyOnce();
      const delivery = {
        announcement,
        ack: () => once(async () => message.ack()),
        nack: () => once(async () => message.nak(retryDelayMs)),
      };
      onDelivery(delivery, () => message.nak());
    }
  }

  async function read(messages: JetStreamMessages, count: number): Promise<void> {
    let left = count;
    const cancel = clock.schedule(GIVE_UP_MS, () => void messages.close());
    try {
      for await (const message of messages) {
        // After a lost connection, the client orders the full number once more.
        if (left > 0) ordered -= 1;
        left -= 1;
        arrive(message);
      }
    } finally {
      cancel();
      ordered -= Math.max(0, left);
      open.delete(messages);
    }
  }

  async function order(count: number): Promise<void> {
    const missing = count - ordered;
    if (missing <= 0) return;
    ordered += missing;
    try {
      const consumer = await stream.consumerOf(definition);
      const request = { max_messages: missing, expires: EXPIRES_MS, idle_heartbeat: HEARTBEAT_MS };
      const messages = await call(() => consumer.fetch(request));
      open.add(messages);
      read(messages, missing).then(onEnd, (error: unknown) => {
        stream.forget();
        onFailure(unavailable(BROKER, error));
      });
    } catch (error) {
      ordered -= missing;
      throw unavailable(BROKER, error);
    }
  }

  /** Counts the messages that may come. At the first look, these include the ones that other sources have returned. */
  async function countWaiting(): Promise<number> {
    const consumer = await stream.consumerOf(definition);
    const { num_pending, num_ack_pending } = await call(() => consumer.info());
    const again = returned ?? num_ack_pending;
    returned = 0;
    return num_pending + again;
  }

  return {
    order,
    orderAvailable: async (count) => {
      const available = Math.min(count, await countWaiting());
      if (available > 0) await order(available);
      return available > 0 || ordered > 0;
    },
    // An order cannot be reduced. A message without room goes back at once.
    reduceTo: () => {},
    close: async () => {
      await Promise.all([...open].map((messages) => messages.close()));
    },
  };
}
