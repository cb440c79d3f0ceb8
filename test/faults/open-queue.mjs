import { createRequire } from "node:module";
import { createBullmqQueue } from "async-request-reply/bullmq";
import { createNatsQueue } from "async-request-reply/nats";
import { createRabbitmqQueue } from "async-request-reply/rabbitmq";

const load = createRequire(new URL("../brokers/package.json", import.meta.url));
const RECONNECT_MS = 200;

/** Opens the queue of a process on the broker at a URL. Its `close` also closes the connection. */
export async function openQueue(url, options) {
  const opened = await openers[new URL(url).protocol](url, options);
  const close = async () => {
    await opened.queue.close();
    await opened.end();
  };
  return { ...opened.queue, close };
}

const openers = {
  "amqp:": async (url, options) => {
    const recovery = { initialDelay: 50, maxDelay: RECONNECT_MS, waitForConnect: false };
    const connection = await load("amqplib").connect(url, { recovery, noDelay: true });
    connection.on("error", () => {});
    return { queue: createRabbitmqQueue({ connection, ...options }), end: () => connection.close() };
  },
  "nats:": async (url, options) => {
    const connection = await load("@nats-io/transport-node").connect({
      servers: url,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
    });
    const jetstream = load("@nats-io/jetstream").jetstream(connection);
    return { queue: createNatsQueue({ jetstream, ...options }), end: () => connection.close() };
  },
  "redis:": async (url, options) => {
    const { Redis } = load("ioredis");
    const connection = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => RECONNECT_MS });
    connection.on("error", () => {});
    const bullmq = load("bullmq");
    return {
      queue: createBullmqQueue({ bullmq, connection, ...options }),
      end: async () => connection.disconnect(),
    };
  },
};
