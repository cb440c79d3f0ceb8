import { DBOS } from "@dbos-inc/dbos-sdk";
import { CONNECTIONS, countOf, createPool, emptied } from "./pool.mjs";

const STATUS = "dbos.workflow_status";

/** DBOS: the key is the workflow id, and the workflow's row is the operation. Starting it also runs it, with no step or one. */
export async function open({ url, withStep }) {
  const pool = createPool(url);
  let onStart;
  const step = DBOS.registerStep(async (operationId) => onStart?.(operationId), { name: "step" });
  const body = withStep ? step : async () => {};
  const workflow = DBOS.registerWorkflow(async (operationId) => body(operationId), { name: "orders" });
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: CONNECTIONS,
    logLevel: "error",
    runAdminServer: false,
  });
  await DBOS.launch();
  let onCompleted;
  /** Workflows that may still be running. */
  const running = new Set();
  return {
    accept: async ({ id, key }) => {
      const handle = await DBOS.startWorkflow(workflow, { workflowID: key })(id);
      running.add(handle.getResult().then(() => onCompleted?.()));
    },
    settled: async () => {
      await Promise.all(running);
      running.clear();
    },
    reset: () => emptied(pool, `${STATUS} cascade`),
    accepted: () => countOf(pool, STATUS),
    completed: () => countOf(pool, `${STATUS} where status = 'SUCCESS'`),
    startWork: async (hooks) => {
      ({ onStart, onCompleted } = hooks);
      return async () => {
        onStart = undefined;
        onCompleted = undefined;
      };
    },
    close: async () => {
      await DBOS.shutdown();
      await pool.end();
    },
  };
}
