import { PgBoss } from "pg-boss";
import { CONNECTIONS, countOf, createPool, inTransaction } from "./pool.mjs";
import {
  completeOperations,
  createThreeTables,
  recordKeyAndOperation,
  threeTableCounts,
} from "./three-tables.mjs";

const QUEUE = "orders";
/** Fetches 500 jobs at a time, and goes on without a pause while there are as many. Notifications wake it. */
const WORK = { batchSize: 500, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
/** Fetches one job for each of 128 slots, of which a tenant gets at most half. */
const WORK_BY_TENANT = {
  localConcurrency: 128,
  localGroupConcurrency: 64,
  pollingIntervalSeconds: 0.5,
  // A worker whose group has no place looks again after this time, instead of after 30 s.
  notifyPollingIntervalSeconds: 0.5,
};

/**
 * pg-boss: `send` in the transaction that records key and operation. With `groupPerTenant`, each tenant is a group. With `plain`, only
 * the job is recorded.
 */
export async function open({ url, groupPerTenant = false, plain = false }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  const tables = threeTableCounts(pool);
  const boss = new PgBoss({
    connectionString: url,
    max: CONNECTIONS,
    supervise: false,
    schedule: false,
    useListenNotify: true,
  });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true, partition: true });
  return {
    accept: (order) => {
      if (plain) return boss.send(QUEUE, { operationId: order.id });
      return inTransaction(pool, async (client) => {
        await recordKeyAndOperation(client, order);
        const db = { executeSql: (text, values) => client.query(text, values) };
        const group = groupPerTenant ? { group: { id: order.tenant } } : {};
        await boss.send(QUEUE, { operationId: order.id }, { db, ...group });
      });
    },
    reset: async () => {
      await pool.query("truncate pgboss.job");
      await tables.empty();
    },
    accepted: async () =>
      Math.min(
        plain ? Number.POSITIVE_INFINITY : await tables.operations(),
        await countOf(pool, "pgboss.job"),
      ),
    completed: plain ? () => countOf(pool, "pgboss.job where state = 'completed'") : tables.completed,
    startWork: async ({ onStart, onCompleted }) => {
      await boss.work(QUEUE, groupPerTenant ? WORK_BY_TENANT : WORK, async (jobs) => {
        const ids = jobs.map(({ data }) => data.operationId);
        await Promise.all(ids.map((id) => onStart?.(id)));
        if (!plain) await completeOperations(pool, ids);
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
