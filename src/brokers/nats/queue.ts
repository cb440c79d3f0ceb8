import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { Queue } from "../../ports/queue.js";
import { type Ring, toRingMessage } from "../../ports/ring.js";
import { createCalls } from "../shared/calls.js";
import { createListen } from "../shared/listen.js";
import { mergeRings, traceFieldsOf } from "../shared/rings.js";
import { readBrokerOptions } from "../shared/settings.js";
import type { NatsHeaders } from "./jetstream.js";
import { NATS_OPTIONS, type NatsQueueOptions } from "./settings.js";
import { createNatsSource } from "./source.js";
import { BROKER, createStream } from "./stream.js";

/**
 * Creates a queue on NATS JetStream, for `withQueue(backend, queue)`. All rings are in one stream, and each
 * definition has a durable consumer that its workers share.
 *
 * Does not use the server yet. Stream and consumers are created on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createNatsQueue(options: NatsQueueOptions): Queue & AwaitUsing {
  const settings = readBrokerOptions(options, NATS_OPTIONS, "createNatsQueue");
  const { jetstream, timeoutMs, headers: createHeaders, runtime } = settings;
  const call = createCalls(BROKER, settings);
  const stream = createStream(settings, call);

  function headersOf(ring: Ring): NatsHeaders | undefined {
    const fields = createHeaders && traceFieldsOf(ring);
    if (fields === undefined) return undefined;
    const headers = createHeaders?.();
    for (const [name, value] of Object.entries(fields)) headers?.set(name, value);
    return headers;
  }

  async function publish(rings: readonly Ring[]): Promise<void> {
    const merged = [...mergeRings(rings).values()].flat();
    if (merged.length === 0) return;
    await stream.declare();
    const publishOne = (ring: Ring): Promise<unknown> =>
      jetstream.publish(stream.subjectOf(ring.definition), toRingMessage(ring), {
        timeout: timeoutMs,
        headers: headersOf(ring),
      });
    try {
      await call(() => Promise.all(merged.map(publishOne)));
    } catch (error) {
      stream.forget();
      throw error;
    }
  }

  const context = { clock: runtime.clock, stream, call };
  const open = (definition: string) => createNatsSource(context, definition);
  return { publish, ...createListen({ settings, publish, open }), ...awaitUsing() };
}
