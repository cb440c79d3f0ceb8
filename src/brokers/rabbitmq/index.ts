/**
 * A queue on RabbitMQ that wakes up the workers of any back end. It uses your connection of `amqplib` 2.
 *
 * @module async-request-reply/rabbitmq
 */
export type { BrokerOptions } from "../shared/settings.js";
export type {
  AmqpChannel,
  AmqpConfirmChannel,
  AmqpConnection,
  AmqpMessage,
  AmqpPublishOptions,
} from "./amqp.js";
export { createRabbitmqQueue } from "./queue.js";
export type { RabbitmqQueueOptions } from "./settings.js";
