import { createPostgresBackend, withBackend } from "bullmq";
import { CONNECTIONS, createPool, inTransaction } from "./pool.mjs";
import {
  completeOperations,
  createThreeTables,
  recordKeyAndOperation,
  threeTableCounts,
} from "./three-tables.mjs";

const { Queue, Worker } = withBackend(createPostgresBackend);

const QUEUE = "orders";
const JOB = { removeOnComplete: true };
/** Its guide recommends 100 to 300 for work that waits for I/O. */
const CONCURRENCY = 128;

/** BullMQ with its jobs in Postgres: key and operation are one commit, and the job is another. */
export async function open({ url }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  const tables = threeTableCounts(pool);
  const connection = { connectionString: url, max: CONNECTIONS, migrate: true };
  const queue = new Queue(QUEUE, { connection });
  await queue.waitUntilReady();
  return {
    accept: async (order) => {
      await inTransaction(pool, (client) => recordKeyAndOperation(client, order));
      await queue.add("order", { operationId: order.id }, JOB);
    },
    reset: async () => {
      await queue.obliterate({ force: true });
      await tables.empty();
    },
    accepted: async () => Math.min(await tables.operations(), await queue.getWaitingCount()),
    completed: tables.completed,
    startWork: async ({ onStart, onCompleted }) => {
      const work = async ({ data: { operationId } }) => {
        await onStart?.(operationId);
        await completeOperations(pool, [operationId]);
        onCompleted();
      };
      const worker = new Worker(QUEUE, work, { connection, concurrency: CONCURRENCY });
      await worker.waitUntilReady();
      return () => worker.close();
    },
    close: async () => {
      await queue.close();
      await pool.end();
    },
  };
}
