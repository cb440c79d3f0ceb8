import { createRequire } from "node:module";
import { createBullmqQueue } from "async-request-reply/bullmq";
import { createNatsQueue } from "async-request-reply/nats";
import { createRabbitmqQueue } from "async-request-reply/rabbitmq";

const load = createRequire(new URL("../brokers/package.json", import.meta.url));
const RECONNECT_MS = 200;

/** Opens the queue of a process on the broker at a URL, or on a cluster. Its `close` also closes the connection. */
export async function openQueue(urlOrUrls, options) {
  const urls = [urlOrUrls].flat().map((url) => new URL(url));
  const opened = await openers[urls[0].protocol](urls, options);
  const close = async () => {
    await opened.queue.close();
    await opened.end();
  };
  return { ...opened.queue, close };
}

const openers = {
  "amqp:": async (urls, options) => {
    const nodes = urls.map(({ hostname, port }) => ({ hostname, port }));
    const recovery = { initialDelay: 50, maxDelay: RECONNECT_MS, waitForConnect: false };
    const connection = await connectToAny(nodes, { recovery, noDelay: true });
    connection.on("error", () => {});
    return { queue: createRabbitmqQueue({ connection, ...options }), end: () => connection.close() };
  },
  "nats:": async (urls, options) => {
    const connection = await load("@nats-io/transport-node").connect({
      servers: urls.map(({ href }) => href),
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
    });
    const jetstream = load("@nats-io/jetstream").jetstream(connection);
    return { queue: createNatsQueue({ jetstream, ...options }), end: () => connection.close() };
  },
  "redis:": async ([{ href }], options) => {
    const { Redis } = load("ioredis");
    const connection = new Redis(href, { maxRetriesPerRequest: null, retryStrategy: () => RECONNECT_MS });
    connection.on("error", () => {});
    const bullmq = load("bullmq");
    return {
      queue: createBullmqQueue({ bullmq, connection, ...options }),
      end: async () => connection.disconnect(),
    };
  },
};

/** Connects to one node of RabbitMQ, and to the next one each time that a connection is lost or fails. */
async function connectToAny(nodes, options) {
  // The processes of a test start at different nodes.
  let turn = process.pid;
  // The client reads the address at each attempt.
  const address = { ...nodes[turn % nodes.length] };
  const connection = await load("amqplib").connect(address, options);
  connection.on("reconnect-scheduled", () => {
    turn += 1;
    Object.assign(address, nodes[turn % nodes.length]);
  });
  return connection;
}
