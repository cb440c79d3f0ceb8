import { type Bullmq, createBullmqQueue } from "async-request-reply/bullmq";
import { loadLibrary } from "./libraries.js";
import { type BrokerProgram, type PrivateBroker, startPrivateBroker } from "./private-broker.js";
import type { TestedBroker } from "./tested-broker.js";

interface Redis {
  on(event: "error", listener: () => void): void;
  disconnect(): void;
}

/** The library `ioredis`. */
export interface Ioredis {
  readonly Redis: new (port: number, host: string, options: object) => Redis;
}

interface Counting {
  getJobCountByTypes(): Promise<number>;
}

interface Reading {
  getJobs(): Promise<readonly { readonly opts: { readonly telemetry?: { readonly metadata?: string } } }[]>;
}

interface Deleting {
  obliterate(options: { readonly force: boolean }): Promise<void>;
}

function redis(persistence: Readonly<Record<string, string>>): BrokerProgram {
  return {
    name: "redis",
    command: "redis-server",
    ready: /Ready to accept connections/,
    prepare: async (folder, port) => {
      const options = { bind: "127.0.0.1", port, dir: folder, ...persistence };
      const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
      return { args, env: { TMPDIR: folder } };
    },
  };
}

const redisWithLog = redis({ appendonly: "yes", dbfilename: "dump.rdb" });

/** Starts Redis without a log and without snapshots. It is empty after each start. */
export function startEmptyRedis(): Promise<PrivateBroker> {
  return startPrivateBroker(redis({ appendonly: "no", save: "" }));
}

/** BullMQ on Redis with `ioredis`. */
export const bullmq: TestedBroker = {
  name: "BullMQ",
  scheme: "redis",
  startServer: () => startPrivateBroker(redisWithLog),
  connect: async (port) => {
    const library = loadLibrary<Bullmq<Redis>>("bullmq");
    const { Redis } = loadLibrary<Ioredis>("ioredis");
    const connection = new Redis(port, "127.0.0.1", {
      maxRetriesPerRequest: null,
      retryStrategy: () => 200,
    });
    connection.on("error", () => {});
    return {
      createQueue: ({ name, ...options }) =>
        createBullmqQueue({ bullmq: library, connection, prefix: name, ...options }),
      publishForeign: async (queue, definition, body) => {
        const producer = new library.Queue(definition, { connection, prefix: `{${queue}}` });
        await producer.addBulk([{ name: "foreign", data: body }]);
        await producer.close();
      },
      countMessages: async (queue, definition) => {
        const counting = new library.Queue(definition, { connection, prefix: `{${queue}}` });
        const count = await (counting as unknown as Counting).getJobCountByTypes();
        await counting.close();
        return count;
      },
      readTraceFields: async (queue, definition) => {
        const reading = new library.Queue(definition, { connection, prefix: `{${queue}}` });
        const [job] = await (reading as unknown as Reading).getJobs();
        await reading.close();
        return JSON.parse(job?.opts.telemetry?.metadata ?? "null");
      },
      deleteQueue: async (queue, definition) => {
        const deleting = new library.Queue(definition, { connection, prefix: `{${queue}}` });
        await (deleting as unknown as Deleting).obliterate({ force: true });
        await deleting.close();
      },
      // Unlike `quit`, this does not fail while it connects again.
      close: async () => connection.disconnect(),
    };
  },
};
