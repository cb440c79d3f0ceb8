import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { Announcement } from "../../ports/announcement.js";
import type { Queue } from "../../ports/queue.js";
import { createCalls } from "../shared/calls.js";
import { toMessage, traceFieldsOf } from "../shared/message.js";
import { createOrderingConsumer } from "../shared/ordering-consumer.js";
import { readBrokerOptions } from "../shared/settings.js";
import type { OpenSource } from "../shared/source.js";
import type { NatsHeaders } from "./jetstream.js";
import { NATS_OPTIONS, type NatsQueueOptions } from "./settings.js";
import { createNatsSource } from "./source.js";
import { BROKER, createStream } from "./stream.js";

/**
 * Creates a queue on NATS JetStream, for `withQueue(backend, queue)`. All announcements are in one stream, and each
 * definition has a durable consumer that its workers share.
 *
 * Does not use the server yet. Stream and consumers are created on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createNatsQueue(options: NatsQueueOptions): Queue & AwaitUsing {
  const settings = readBrokerOptions(options, NATS_OPTIONS, "createNatsQueue");
  const { jetstream, timeoutMs, headers: createHeaders } = settings;
  const call = createCalls(BROKER, settings);
  const stream = createStream(settings, call);
  const openSource: OpenSource = (definition, arriving) =>
    createNatsSource({ settings, stream, call }, definition, arriving);

  function headersOf(announcement: Announcement): NatsHeaders | undefined {
    const fields = createHeaders && traceFieldsOf(announcement);
    if (fields === undefined) return undefined;
    const headers = createHeaders?.();
    for (const [name, value] of Object.entries(fields)) headers?.set(name, value);
    return headers;
  }

  return {
    publish: async (announcements) => {
      if (announcements.length === 0) return;
      await stream.declare();
      const publishing = announcements.map((announcement) =>
        jetstream.publish(stream.subjectOf(announcement.definition), toMessage(announcement), {
          msgID: announcement.id,
          timeout: timeoutMs,
          headers: headersOf(announcement),
        }),
      );
      try {
        await call(() => Promise.all(publishing));
      } catch (error) {
        stream.forget();
        throw error;
      }
    },
    consume: ({ definitions }) => createOrderingConsumer(openSource, settings, definitions),
    close: async () => {},
    ...awaitUsing(),
  };
}
