import { statSync } from "node:fs";
import { load } from "../../against/build.mjs";
import { DEFINITION } from "../../postgres/inside/orders.mjs";
import { openOrderService } from "../../postgres/variants/order-service.mjs";
import { workerSteps } from "../../postgres/variants/worker-steps.mjs";
import { countOf, emptied, openDatabase } from "./database.mjs";
import { fill } from "./fill.mjs";
import { overSockets } from "./over-sockets.mjs";
import { withSlowCommits } from "./slow-commits.mjs";

const { createSqliteBackend } = await load("sqlite");
const TABLES = ["arr_operations", "arr_inputs"];
const RETENTION_MS = 86_400_000;

/**
 * The back end with its defaults. Accepts with `submissions.record`, or with `sockets` over HTTP. The file can be filled with
 * finished operations first. `commitMs` makes each commit take longer, and `maxBatch` limits how many calls share one.
 */
export async function open({ sockets, rows = 0, commitMs = 0, maxBatch, limits }) {
  const { path, database, close } = openDatabase();
  const backend = createSqliteBackend({
    database: commitMs > 0 ? withSlowCommits(database, commitMs) : database,
    ...(maxBatch === undefined ? {} : { maxBatch }),
  });
  await backend.check();
  const { service, record, submit, submitMany, startWork } = openOrderService(backend, {
    retentionMs: RETENTION_MS,
    limits,
  });
  const { claim, complete } = workerSteps(backend, DEFINITION);
  if (rows > 0) await fill({ database, rows, record, claim, complete });
  const server = sockets ? await overSockets(service) : undefined;
  return {
    accept: server?.post ?? record,
    submit,
    submitMany,
    // Keeps the operations that it was filled with.
    reset: () => (rows > 0 ? database.pragma("wal_checkpoint(TRUNCATE)") : emptied(database, ...TABLES)),
    accepted: () => countOf(database, "arr_operations where settled_at is null"),
    due: () => countOf(database, "arr_operations where settled_at is null"),
    completed: () => countOf(database, "arr_operations where state = 'completed'"),
    sizes: () => [{ name: "file", bytes: statSync(path).size }],
    claim,
    complete,
    startWork,
    close: async () => {
      await server?.close();
      await backend.close();
      close();
    },
  };
}
