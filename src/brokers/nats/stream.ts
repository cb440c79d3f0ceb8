import type { CallBroker } from "../shared/calls.js";
import { toQueueName } from "../shared/queue-name.js";
import { RING_TTL_MS } from "../shared/rings.js";
import type { JetStreamConsumer, JetStreamManager } from "./jetstream.js";
import type { NatsSettings } from "./settings.js";

export const BROKER = "NATS";

/** Time after which a ring that a dead worker has not acknowledged comes again. Nanoseconds. */
const ACK_WAIT_NS = 5_000_000_000;

/** The stream of a queue and its consumers. */
export interface Stream {
  /** Creates the stream unless it exists. Asks the server only once. */
  declare(): Promise<void>;
  /** Returns the subject of a definition. */
  subjectOf(definition: string): string;
  /** Returns the durable consumer of a definition, which all workers share. */
  consumerOf(definition: string): Promise<JetStreamConsumer>;
  /** Asks the server again at the next use, because the stream or a consumer was deleted. */
  forget(): void;
}

/** Creates the stream of a queue, which it declares at first use. */
export function createStream(settings: NatsSettings, call: CallBroker): Stream {
  const { jetstream, stream, replicas } = settings;
  const consumers = new Map<string, Promise<JetStreamConsumer>>();
  let declared: Promise<void> | undefined;

  // The name of a consumer is limited, and that of a subject is not.
  const nameOf = (definition: string): string => toQueueName("", definition, { broker: BROKER });
  const subjectOf = (definition: string): string => `${stream}.${nameOf(definition)}`;
  const manager = (): Promise<JetStreamManager> => call(() => jetstream.jetstreamManager(false));

  async function declareStream(): Promise<void> {
    if (!settings.declare) return;
    const { streams } = await manager();
    const exists = await call(() => streams.info(stream)).then(
      () => true,
      () => false,
    );
    if (exists) return;
    const subjects = [`${stream}.*`];
    // If another process has just created it with the same configuration, this succeeds too.
    await call(() =>
      streams.add({
        name: stream,
        subjects,
        retention: "workqueue",
        storage: "memory",
        max_age: RING_TTL_MS * 1_000_000,
        num_replicas: replicas,
      }),
    );
  }

  async function openConsumer(definition: string): Promise<JetStreamConsumer> {
    await declare();
    const name = nameOf(definition);
    const get = (): Promise<JetStreamConsumer> => call(() => jetstream.consumers.get(stream, name));
    if (!settings.declare) return get();
    try {
      return await get();
    } catch {
      const { consumers } = await manager();
      await call(() =>
        consumers.add(stream, {
          durable_name: name,
          filter_subject: subjectOf(definition),
          ack_policy: "explicit",
          ack_wait: ACK_WAIT_NS,
          max_ack_pending: -1,
        }),
      );
      return get();
    }
  }

  function declare(): Promise<void> {
    if (declared === undefined) {
      const started = declareStream();
      declared = started;
      started.catch(() => {
        if (declared === started) declared = undefined;
      });
    }
    return declared;
  }

  return {
    declare,
    subjectOf,
    consumerOf: (definition) => {
      const known = consumers.get(definition);
      if (known !== undefined) return known;
      const opening = openConsumer(definition);
      consumers.set(definition, opening);
      opening.catch(() => consumers.delete(definition));
      return opening;
    },
    forget: () => {
      declared = undefined;
      consumers.clear();
    },
  };
}
