import { createRequire } from "node:module";
import { join } from "node:path";
import type { Queue } from "async-request-reply";
import { type Bullmq, createBullmqQueue } from "async-request-reply/bullmq";
import { createNatsQueue, type JetStream, type NatsHeaders } from "async-request-reply/nats";
import { type AmqpConnection, createRabbitmqQueue } from "async-request-reply/rabbitmq";
import { StartError } from "./start-error.js";

/** Bounds the time that a client waits before it connects again. */
const RECONNECT_MS = 2_000;

/** The parts of the client libraries that this file calls. */
interface Libraries {
  readonly amqplib: {
    connect(
      url: string,
      options: object,
    ): Promise<AmqpConnection & { on(event: "error", listener: () => void): void; close(): Promise<void> }>;
  };
  readonly "@nats-io/transport-node": {
    connect(options: object): Promise<NatsConnection>;
    headers(): NatsHeaders;
  };
  readonly "@nats-io/jetstream": { jetstream(connection: NatsConnection): JetStream };
  readonly bullmq: Bullmq<Redis>;
  readonly ioredis: { readonly Redis: new (url: string, options: object) => Redis };
}

interface NatsConnection {
  close(): Promise<void>;
}

interface Redis {
  on(event: "error", listener: () => void): void;
  disconnect(): void;
}

/** Connects to RabbitMQ, and again whenever the connection is lost. */
export async function openRabbitmq(address: string): Promise<Queue> {
  const { connect } = load("amqplib");
  const recovery = { initialDelay: 100, maxDelay: RECONNECT_MS, waitForConnect: false };
  const connection = await connect(address, { recovery, noDelay: true });
  // The client connects again. Without a listener, the error would end the process.
  connection.on("error", () => {});
  return closing(createRabbitmqQueue({ connection }), () => connection.close());
}

/** Connects to NATS, and again whenever the connection is lost. */
export async function openNats(address: string): Promise<Queue> {
  const { connect, headers } = load("@nats-io/transport-node");
  const { jetstream } = load("@nats-io/jetstream");
  const connection = await connect({
    servers: address,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
  });
  return closing(createNatsQueue({ jetstream: jetstream(connection), headers }), () => connection.close());
}

/** Connects to Redis, and again whenever the connection is lost. */
export async function openBullmq(address: string): Promise<Queue> {
  const bullmq = load("bullmq");
  const { Redis } = load("ioredis");
  const connection = new Redis(address.slice("bullmq+".length), {
    maxRetriesPerRequest: null,
    retryStrategy: () => RECONNECT_MS,
  });
  // The client connects again. Without a listener, the error would be printed each time.
  connection.on("error", () => {});
  return closing(createBullmqQueue({ bullmq, connection }), async () => connection.disconnect());
}

/**
 * Loads a client library from the working folder, because only its queue needs it.
 *
 * @throws StartError, which says what to install
 */
function load<Name extends keyof Libraries>(name: Name): Libraries[Name] {
  try {
    return createRequire(join(process.cwd(), "package.json"))(name) as Libraries[Name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new StartError(`QUEUE needs the package ${name}. Run \`npm install --no-save ${name}\``);
  }
}

/** Adds a step to `close` of a queue. The package leaves a connection open, because it may be shared. */
function closing(queue: Queue, end: () => Promise<void>): Queue {
  return {
    ...queue,
    close: async () => {
      await queue.close();
      await end();
    },
  };
}
