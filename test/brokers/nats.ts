import { join } from "node:path";
import { createNatsQueue, type JetStream, type NatsHeaders } from "async-request-reply/nats";
import { loadLibrary } from "./libraries.js";
import { type PrivateBroker, startPrivateBroker } from "./private-broker.js";
import type { TestedBroker } from "./tested-broker.js";

interface Connection {
  close(): Promise<void>;
}

interface TransportNode {
  connect(options: object): Promise<Connection>;
  headers(): NatsHeaders;
}

/** Steps of an operator on streams. */
interface Streams {
  info(
    stream: string,
  ): Promise<{ readonly state: { readonly messages: number }; readonly cluster?: StreamCluster }>;
  getMessage(
    stream: string,
    query: { readonly last_by_subj: string },
  ): Promise<{ readonly header: { get(name: string): string } }>;
  delete(stream: string): Promise<unknown>;
}

/** The nodes of a stream, if it belongs to a cluster. */
export interface StreamCluster {
  readonly leader?: string;
  readonly replicas?: readonly { readonly current: boolean; readonly offline?: boolean }[];
}

interface Counting {
  info(): Promise<{ readonly num_pending: number; readonly num_ack_pending: number }>;
}

interface JetStreamLibrary {
  jetstream(connection: Connection): JetStream;
}

/** Starts NATS on a free port. `args` has further arguments of the server. */
export function startNats(args: readonly string[] = []): Promise<PrivateBroker> {
  return startPrivateBroker({
    name: "nats",
    command: "nats-server",
    ready: /Server is ready/,
    prepare: async (folder, port) => ({
      args: ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", join(folder, "data"), ...args],
    }),
  });
}

/** Connects as a user would. */
export async function connectNats(port: number): Promise<{ connection: Connection; jetstream: JetStream }> {
  const { connect } = loadLibrary<TransportNode>("@nats-io/transport-node");
  const { jetstream } = loadLibrary<JetStreamLibrary>("@nats-io/jetstream");
  const servers = `127.0.0.1:${port}`;
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 200 });
  return { connection, jetstream: jetstream(connection) };
}

/** Returns the streams of a server. */
export async function streamsOf(jetstream: JetStream): Promise<Streams> {
  const { streams } = await jetstream.jetstreamManager(false);
  return streams as unknown as Streams;
}

/** NATS JetStream with `@nats-io/jetstream`. */
export const nats: TestedBroker = {
  name: "NATS",
  scheme: "nats",
  startServer: () => startNats(),
  connect: async (port) => {
    const { headers } = loadLibrary<TransportNode>("@nats-io/transport-node");
    const { connection, jetstream } = await connectNats(port);
    return {
      createQueue: ({ name, ...options }) =>
        createNatsQueue({ jetstream, headers, stream: name, ...options }),
      publishForeign: (queue, definition, body) => jetstream.publish(`${queue}.${definition}`, body, {}),
      countMessages: async (queue, definition) => {
        const consumer = await jetstream.consumers.get(queue, definition).catch(() => undefined);
        // Not the messages of the stream: after a killed node, NATS 2.9 can keep some that were acknowledged.
        if (consumer !== undefined) {
          const { num_pending, num_ack_pending } = await (consumer as unknown as Counting).info();
          return num_pending + num_ack_pending;
        }
        return (await (await streamsOf(jetstream)).info(queue)).state.messages;
      },
      readTraceFields: async (queue, definition) => {
        const streams = await streamsOf(jetstream);
        const { header } = await streams.getMessage(queue, { last_by_subj: `${queue}.${definition}` });
        return Object.fromEntries(["traceparent", "tracestate"].map((name) => [name, header.get(name)]));
      },
      deleteQueue: async (queue) => (await streamsOf(jetstream)).delete(queue),
      close: () => connection.close(),
    };
  },
};
