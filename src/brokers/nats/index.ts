/**
 * A queue on NATS JetStream that wakes up the workers of any back end. It uses your connection of
 * `@nats-io/transport-node` and `@nats-io/jetstream` 3.
 *
 * @module async-request-reply/nats
 */
export type { BrokerOptions } from "../shared/settings.js";
export type {
  JetStream,
  JetStreamConsumer,
  JetStreamConsumerConfig,
  JetStreamManager,
  JetStreamMessage,
  JetStreamMessages,
  JetStreamStreamConfig,
  NatsHeaders,
} from "./jetstream.js";
export { createNatsQueue } from "./queue.js";
export type { NatsQueueOptions } from "./settings.js";
