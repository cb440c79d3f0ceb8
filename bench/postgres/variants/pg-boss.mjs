import PgBoss from "pg-boss";
import { CONNECTIONS, createPool, inTransaction } from "./pool.mjs";
import {
  completeOperations,
  createThreeTables,
  recordKeyAndOperation,
  threeTableCounts,
} from "./three-tables.mjs";

const QUEUE = "orders";
/** The shortest interval that pg-boss accepts. */
const WORK = { pollingIntervalSeconds: 0.5, batchSize: 500 };

/** pg-boss: `send` in the transaction that records key and operation. Fetches 500 jobs at a time. */
export async function open({ url }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  const tables = threeTableCounts(pool);
  const boss = new PgBoss({ connectionString: url, max: CONNECTIONS, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    accept: (order) =>
      inTransaction(pool, async (client) => {
        await recordKeyAndOperation(client, order);
        const db = { executeSql: (text, values) => client.query(text, values) };
        await boss.send(QUEUE, { operationId: order.id }, { db });
      }),
    reset: async () => {
      await pool.query("truncate pgboss.job");
      await tables.empty();
    },
    accepted: async () => Math.min(await tables.operations(), await boss.getQueueSize(QUEUE)),
    completed: tables.completed,
    startWork: async ({ onStart, onCompleted }) => {
      await boss.work(QUEUE, WORK, async (jobs) => {
        const ids = jobs.map(({ data }) => data.operationId);
        for (const id of ids) onStart?.(id);
        await completeOperations(pool, ids);
        onCompleted(ids.length);
      });
      return () => boss.offWork(QUEUE);
    },
    close: async () => {
      await boss.stop({ graceful: false, wait: true });
      await pool.end();
    },
  };
}
