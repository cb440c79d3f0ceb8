import { Logger, run, runMigrations } from "graphile-worker";
import { countOf, createPool, inTransaction, prepared } from "./pool.mjs";
import {
  completeOperations,
  createThreeTables,
  recordKeyAndOperation,
  threeTableCounts,
} from "./three-tables.mjs";

const TASK = "orders";
/** The configuration with which its page about performance completes the most jobs. */
const WORK = {
  concurrentJobs: 24,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};
const addJob = prepared("add_job", "select graphile_worker.add_job($1, $2::json, queue_name := $3)");
const silent = new Logger(() => () => {});

/**
 * graphile-worker: `add_job` in the transaction that records key and operation. 24 concurrent jobs from its local queue. With
 * `queuePerTenant`, each tenant has a named queue, whose jobs run one at a time.
 */
export async function open({ url, queuePerTenant = false }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  await runMigrations({ pgPool: pool, logger: silent });
  const tables = threeTableCounts(pool);
  return {
    accept: (order) =>
      inTransaction(pool, async (client) => {
        await recordKeyAndOperation(client, order);
        const queue = queuePerTenant ? order.tenant : null;
        await client.query(addJob([TASK, JSON.stringify({ operationId: order.id }), queue]));
      }),
    reset: async () => {
      await pool.query("truncate graphile_worker._private_jobs");
      await tables.empty();
    },
    accepted: async () =>
      Math.min(await tables.operations(), await countOf(pool, "graphile_worker._private_jobs")),
    completed: tables.completed,
    startWork: async ({ onStart, onCompleted }) => {
      const runner = await run({
        pgPool: pool,
        logger: silent,
        noHandleSignals: true,
        preset: { worker: WORK },
        taskList: {
          [TASK]: async ({ operationId }) => {
            await onStart?.(operationId);
            await completeOperations(pool, [operationId]);
            onCompleted();
          },
        },
      });
      return () => runner.stop();
    },
    close: () => pool.end(),
  };
}
