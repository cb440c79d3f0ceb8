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

/** Steps of an operator on the queue of a definition. */
interface Jobs {
  addBulk(jobs: readonly object[]): Promise<unknown>;
  getJobCountByTypes(): Promise<number>;
  getJobs(): Promise<readonly { readonly opts: { readonly telemetry?: { readonly metadata?: string } } }[]>;
  obliterate(options: { readonly force: boolean }): Promise<void>;
  close(): Promise<unknown>;
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
    async function withJobs<T>(
      prefix: string,
      definition: string,
      act: (jobs: Jobs) => Promise<T>,
    ): Promise<T> {
      const jobs: unknown = new library.Queue(definition, { connection, prefix: `{${prefix}}` });
      const result = await act(jobs as Jobs);
      await (jobs as Jobs).close();
      return result;
    }
    return {
      createQueue: ({ name, ...options }) =>
        createBullmqQueue({ bullmq: library, connection, prefix: name, ...options }),
      publishForeign: (queue, definition, body) =>
        withJobs(queue, definition, (jobs) => jobs.addBulk([{ name: "foreign", data: body }])),
      countMessages: (queue, definition) => withJobs(queue, definition, (jobs) => jobs.getJobCountByTypes()),
      readTraceFields: (queue, definition) =>
        withJobs(queue, definition, async (jobs) => {
          const [job] = await jobs.getJobs();
          return JSON.parse(job?.opts.telemetry?.metadata ?? "null");
        }),
      deleteQueue: (queue, definition) =>
        withJobs(queue, definition, (jobs) => jobs.obliterate({ force: true })),
      // Unlike `quit`, this does not fail while it connects again.
      close: async () => connection.disconnect(),
    };
  },
};
