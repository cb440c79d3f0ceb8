/**
 * A queue on BullMQ that wakes up the workers of any back end. It uses your module `bullmq` 6 and your connection to
 * Redis or Valkey.
 *
 * @module async-request-reply/bullmq
 */
export type { BrokerOptions } from "../shared/settings.js";
export type {
  Bullmq,
  BullmqJob,
  BullmqPart,
  BullmqQueue,
  BullmqWorker,
} from "./bullmq.js";
export { createBullmqQueue } from "./queue.js";
export type { BullmqQueueOptions } from "./settings.js";
