import { type AmqpChannel, type AmqpConnection, createRabbitmqQueue } from "async-request-reply/rabbitmq";
import { loadLibrary } from "./libraries.js";
import { startRabbitmq } from "./rabbitmq-server.js";
import type { TestedBroker } from "./tested-broker.js";

export interface Connection extends AmqpConnection {
  on(event: "error", listener: () => void): void;
  close(): Promise<void>;
}

/** A channel, with what an operator does with queues. */
interface Channel extends AmqpChannel {
  get(queue: string): Promise<{ readonly properties: { readonly headers: unknown } } | false>;
  deleteQueue(queue: string): Promise<unknown>;
}

interface Amqplib {
  connect(url: string, options: object): Promise<Connection>;
}

/** Connects as a user would. */
export async function connectRabbitmq(port: number): Promise<Connection> {
  const { connect } = loadLibrary<Amqplib>("amqplib");
  const recovery = { initialDelay: 50, maxDelay: 500 };
  const connection = await connect(`amqp://127.0.0.1:${port}`, { recovery, noDelay: true });
  connection.on("error", () => {});
  return connection;
}

/** RabbitMQ with `amqplib`. */
export const rabbitmq: TestedBroker = {
  name: "RabbitMQ",
  scheme: "amqp",
  startServer: () => startRabbitmq(),
  connect: async (port) => {
    const connection = await connectRabbitmq(port);
    const openChannel = async (): Promise<Channel> => (await connection.createChannel()) as Channel;
    return {
      createQueue: ({ name, ...options }) => createRabbitmqQueue({ connection, prefix: name, ...options }),
      publishForeign: async (queue, definition, body) => {
        const channel = await connection.createConfirmChannel();
        const kind = { contentType: "text/plain", type: "foreign" };
        const properties = { persistent: false, expiration: "60000", ...kind };
        await new Promise<void>((resolve, reject) => {
          const onConfirm = (error: unknown): void => (error ? reject(error) : resolve());
          channel.sendToQueue(`${queue}.${definition}`, Buffer.from(body), properties, onConfirm);
        });
        await channel.close();
      },
      countMessages: async (queue, definition) => {
        const channel = await openChannel();
        // Without a listener, a queue that does not exist yet would end the connection.
        channel.on("error", () => {});
        const found = (await channel.checkQueue(`${queue}.${definition}`)) as { messageCount: number };
        await channel.close();
        return found.messageCount;
      },
      readTraceFields: async (queue, definition) => {
        const channel = await openChannel();
        const message = await channel.get(`${queue}.${definition}`);
        await channel.close();
        return message ? message.properties.headers : undefined;
      },
      deleteQueue: async (queue, definition) => {
        // Not closed: RabbitMQ 3.10 ends connections with 541 when a queue that is in use is deleted, and `close` would
        // then never resolve.
        const deleteOnce = async () => (await openChannel()).deleteQueue(`${queue}.${definition}`);
        // The connection can end before the answer. Deleting a queue that is gone succeeds.
        await deleteOnce().catch(deleteOnce);
      },
      close: () => connection.close(),
    };
  },
};
