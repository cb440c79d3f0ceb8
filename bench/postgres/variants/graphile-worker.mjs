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
 * `queuePerTenant`, each tenant has a named queue, whose jobs run one at a time. With `plain`, only the job is recorded.
 */
export async function open({ url, queuePerTenant = false, plain = false }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  await runMigrations({ pgPool: pool, logger: silent });
  const tables = threeTableCounts(pool);
  /** Completed jobs are deleted. */
  let completed = 0;
  return {
    accept: (order) => {
      const add = addJob([
        TASK,
        JSON.stringify({ operationId: order.id }),
        queuePerTenant ? order.tenant : null,
      ]);
      if (plain) return pool.query(add);
      return inTransaction(pool, async (client) => {
        await recordKeyAndOperation(client, order);
        await client.query(add);
      });
    },
    reset: async () => {
      completed = 0;
      await pool.query("truncate graphile_worker._private_jobs");
      await tables.empty();
    },
    accepted: async () =>
      Math.min(
        plain ? Number.POSITIVE_INFINITY : await tables.operations(),
        await countOf(pool, "graphile_worker._private_jobs"),
      ),
    completed: plain ? async () => completed : tables.completed,
    startWork: async ({ onStart, onCompleted }) => {
      const runner = await run({
        pgPool: pool,
        logger: silent,
        noHandleSignals: true,
        preset: { worker: WORK },
        taskList: {
          [TASK]: async ({ operationId }) => {
            await onStart?.(operationId);
            if (!plain) await completeOperations(pool, [operationId]);
            completed += 1;
            onCompleted();
          },
        },
      });
      return () => runner.stop();
    },
    close: () => pool.end(),
  };
}
