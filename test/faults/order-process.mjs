// One process of the order service on Postgres: it serves, works or both, and ends itself at a named point.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createService, createWorker, defineOrders } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { createPostgresBackend } from "async-request-reply/postgres";
import pg from "pg";
import { crashing, withCrashInReply, withCrashPoints } from "./crash-points.mjs";
import { NextClient, nextOrders } from "./next-release.mjs";
import { skewClock } from "./skewed-clock.mjs";

const options = JSON.parse(process.argv[2]);
skewClock(options.clockSkewMs ?? 0);

const tell = (message) => process.connected && process.send(message, () => {});
const observe = (event) =>
  tell({ event: "error" in event ? { ...event, error: describeError(event.error) } : event });
const describeError = (error) => [String(error), error?.cause].filter(Boolean).map(String).join(": ");

process.on("warning", ({ name, message }) => tell({ warning: `${name}: ${message}` }));

function openPool(extra) {
  const pool = new pg.Pool({ connectionString: options.url, connectionTimeoutMillis: 2_000, ...extra });
  // Without a listener the end of an idle connection would end the process.
  pool.on("error", () => {});
  return pool;
}

const pool = openPool({ ...options.pool, ...(options.nextSchema && { Client: NextClient }) });
const ledger = openPool({ connectionString: options.ledgerUrl ?? options.url, max: 4 });

const reach = crashing(options);
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

/** What an order does to the process that works on it before it has an effect, by the first word of its `itemId`. */
const behaviours = {
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
  tell({ begun: job.operationId, attempt: job.attempt });
  // A result that cannot be kept.
  if (itemId.startsWith("garbage")) return 1n;
  await behaviours[itemId.split("-")[0]]?.(job);
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
    // Once the statement that settles has been sent.
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
    // A store that is down for long must not use them up.
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
  tell({ stopping });
  void stop();
});
// Nobody is left to kill it.
process.on("disconnect", () => stopping || process.exit(1));
process.on("message", ({ measure }) => {
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  tell({ measured: measure, heapUsed, handles: process.getActiveResourcesInfo().length });
});
for (let stuck = 0; stuck < (options.stuckConnections ?? 0); stuck += 1)
  pool.query("SELECT pg_sleep(600)").catch(() => {});
tell({ listening: server?.address().port ?? 0 });
