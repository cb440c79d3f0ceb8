import * as bullmq from "bullmq";
import { Redis } from "ioredis";
import { createBullmqQueue } from "../../../dist/bullmq.js";

const QUEUE = "orders";
const open = (url) => new Redis(url, { maxRetriesPerRequest: null });

/** Opens the queue of the product. */
export async function openQueue(url) {
  const connection = open(url);
  return { queue: createBullmqQueue({ bullmq, connection }), close: async () => connection.disconnect() };
}

/** Publishes by hand: one job per order, and a job with the same id is dropped. */
export async function openPublisher(url) {
  const connection = open(url);
  const queue = new bullmq.Queue(QUEUE, { connection });
  await queue.waitUntilReady();
  return {
    publish: (id) => queue.add("order", { id }, { jobId: id, removeOnComplete: true, removeOnFail: true }),
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}

/** Consumes by hand: a worker of BullMQ with `slots` jobs at a time. */
export async function openConsumer(url, { slots, work }) {
  const connection = open(url);
  const worker = new bullmq.Worker(QUEUE, ({ data }) => work(data.id), { connection, concurrency: slots });
  await worker.waitUntilReady();
  return {
    close: async () => {
      await worker.close();
      connection.disconnect();
    },
  };
}
