// One process of the order service on Postgres. It serves requests, runs work or both, and can crash at a named point.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createService, createWorker, defineOrders } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { createPostgresBackend } from "async-request-reply/postgres";
import pg from "pg";
import { createCrashPoint, withCrashInReply, withCrashPoints } from "./crash-points.mjs";
import { NextClient, nextOrders } from "./next-release.mjs";
import { skewClock } from "./skewed-clock.mjs";

const options = JSON.parse(process.argv[2]);
skewClock(options.clockSkewMs ?? 0);

const report = (message) => process.connected && process.send(message, () => {});
const observe = (event) =>
  report({ event: "error" in event ? { ...event, error: describeError(event.error) } : event });
const describeError = (error) => [String(error), error?.cause].filter(Boolean).map(String).join(": ");

process.on("warning", ({ name, message }) => report({ warning: `${name}: ${message}` }));

function openPool(extra) {
  const pool = new pg.Pool({ connectionString: options.url, connectionTimeoutMillis: 2_000, ...extra });
  // Without a listener a broken idle connection would end the process.
  pool.on("error", () => {});
  return pool;
}

const pool = openPool({ ...options.pool, ...(options.nextSchema && { Client: NextClient }) });
const ledger = openPool({ connectionString: options.ledgerUrl ?? options.url, max: 4 });

const reach = createCrashPoint(options);
const backend = withCrashPoints(
  reach,
  createPostgresBackend({ pool, migrate: options.migrate ?? "auto", ...options.backend }),
);
const { submissions: _, ...composed } = backend;

const service = createService({
  definitions: [options.nextContract ? nextOrders : defineOrders(options.definition)],
  backend: options.composed ? composed : backend,
  authorize: allowAnonymous(),
  observe,
  ...options.service,
});

/** Behavior of a processor before its effect, by the first word of the `itemId`. */
const behaviors = {
  exit: () => process.exit(1),
  block: ({ attempt }) => attempt === 1 && blockFor(4_500),
  slow: () => sleep(options.slowMs ?? 600),
  throw: () => {
    throw new Error("simulated");
  },
  hang: () => new Promise(() => {}),
};

function blockFor(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

async function work({ itemId }, job) {
  await reach("before-work");
  report({ begun: job.operationId, attempt: job.attempt });
  // A bigint result, which JSON cannot represent.
  if (itemId.startsWith("garbage")) return 1n;
  await behaviors[itemId.split("-")[0]]?.(job);
  await reach("in-work");
  const effect = async (connection) => {
    await connection.query("INSERT INTO effects (operation_id, item_id) VALUES ($1, $2)", [
      job.operationId,
      itemId,
    ]);
    await connection.query(
      "INSERT INTO ledger (operation_id, item_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [job.operationId, itemId],
    );
    await reach("after-effect");
    return { itemId, attempt: job.attempt };
  };
  if (!options.transactional) return effect(ledger);
  const result = await job.transaction((tx) => {
    // Runs when the settling statement has been sent.
    const leave = (value) => setImmediate(() => reach("during-transaction")) && value;
    return effect(tx).then(leave);
  });
  await reach("after-transaction");
  return result;
}

const worker = createWorker(
  service,
  { orders: work },
  {
    leaseMs: 1_500,
    sweepIntervalMs: 100,
    backoff: { baseMs: 50, maxMs: 500 },
    // A long outage of the store must not use up the attempts.
    maxAttempts: 1_000,
    drainTimeoutMs: 2_000,
    ...options.worker,
  },
);

const handler = withCrashInReply(options, toNodeHandler(service));
const server = options.role === "worker" ? undefined : createServer(handler);
await new Promise((resolve) => (server === undefined ? resolve() : server.listen(0, "127.0.0.1", resolve)));
if (options.role !== "api") await worker.start();

async function stop() {
  const closed = server && new Promise((resolve) => server.close(resolve));
  server?.closeIdleConnections();
  await Promise.all([closed, worker.stop()]);
  await backend.close();
  await Promise.all([pool.end(), ledger.end()]);
  process.disconnect();
}

let stopping = false;
process.on("SIGTERM", () => {
  if (stopping) process.exit(143);
  stopping = true;
  report({ stopping });
  void stop();
});
// The parent is gone and can no longer kill this process.
process.on("disconnect", () => stopping || process.exit(1));
process.on("message", ({ measure }) => {
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  report({ measured: measure, heapUsed, handles: process.getActiveResourcesInfo().length });
});
for (let stuck = 0; stuck < (options.stuckConnections ?? 0); stuck += 1)
  pool.query("SELECT pg_sleep(600)").catch(() => {});
report({ listening: server?.address().port ?? 0 });
