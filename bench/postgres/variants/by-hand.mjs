import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { createPool } from "./pool.mjs";
import { completeOperations, createThreeTables, recordOperation, threeTableCounts } from "./three-tables.mjs";

const QUEUE = "orders";
const JOB = { removeOnComplete: true };
/** Its guide recommends 100 to 300 for work that waits for I/O. */
const CONCURRENCY = 128;

/**
 * A common setup: the key in Redis with SET NX, the operation in Postgres, the job in bullmq. The steps are not atomic. With `plain`, only
 * the job is added.
 */
export async function open({ url, redisUrl, keys, plain = false }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  const tables = threeTableCounts(pool);
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(QUEUE, { connection: redis });
  await queue.waitUntilReady();
  /** Completed jobs are removed. */
  let completed = 0;
  return {
    accept: async (order) => {
      if (keys && (await redis.set(`key:${order.key}`, order.id, "NX")) === null) return;
      if (!plain) await recordOperation(pool, order);
      await queue.add("order", { operationId: order.id }, JOB);
    },
    reset: async () => {
      completed = 0;
      await redis.flushall();
      await tables.empty();
    },
    accepted: async () =>
      Math.min(plain ? Number.POSITIVE_INFINITY : await tables.operations(), await queue.getWaitingCount()),
    completed: plain ? async () => completed : tables.completed,
    startWork: async ({ onStart, onCompleted }) => {
      const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
      const work = async ({ data: { operationId } }) => {
        await onStart?.(operationId);
        if (!plain) await completeOperations(pool, [operationId]);
        completed += 1;
        onCompleted();
      };
      const worker = new Worker(QUEUE, work, { connection, concurrency: CONCURRENCY });
      await worker.waitUntilReady();
      return async () => {
        await worker.close();
        connection.disconnect();
      };
    },
    close: async () => {
      await queue.close();
      redis.disconnect();
      await pool.end();
    },
  };
}
