// One process of the order service on Postgres or SQLite, with or without a broker. It serves requests, runs work or both, and can crash at a named point.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createService, createWorker, defineOrders, withQueue } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { behaviors } from "./behaviors.mjs";
import { createCrashPoint, withCrashInReply, withCrashPoints } from "./crash-points.mjs";
import { nextOrders } from "./next-orders.mjs";
import { openQueue } from "./open-queue.mjs";
import { openPostgresStore } from "./postgres-store.mjs";
import { openSqliteStore } from "./sqlite-store.mjs";

const options = JSON.parse(process.argv[2]);
skewClock(options.clockSkewMs ?? 0);

const report = (message) => process.connected && process.send(message, () => {});
const observe = (event) =>
  report({ event: "error" in event ? { ...event, error: describeError(event.error) } : event });
const describeError = (error) => [String(error), error?.cause].filter(Boolean).map(String).join(": ");

process.on("warning", ({ name, message }) => report({ warning: `${name}: ${message}` }));

const store = (options.url.startsWith("sqlite:") ? openSqliteStore : openPostgresStore)(options);
const reach = createCrashPoint(options);
const queue = options.queue && (await openQueue(options.queue, options.broker));
const backend = withCrashPoints(reach, queue ? withQueue(store.backend, queue) : store.backend);

/** Divides orders among lanes by the number in their name. */
const lanes = options.lanes && {
  serialBy: ({ itemId }) => String(Number(itemId.split("-")[1]) % options.lanes),
};
const service = createService({
  definitions: [options.nextContract ? nextOrders : defineOrders({ ...options.definition, ...lanes })],
  backend,
  authorize: allowAnonymous(),
  observe,
  ...options.service,
});

/** Behavior of a processor before its effect, by the first word of the `itemId`. */
const ownBehaviors = {
  ...behaviors,
  slow: () => sleep(options.slowMs ?? 600),
  abortable: ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  reports: async (job) => {
    for (let step = 1; step <= 12; step += 1) {
      job.progress(step);
      await sleep(300);
    }
  },
};

/** Shifts `Date` in this process by `ms`. Timers are not affected. */
function skewClock(ms) {
  if (ms === 0) return;
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + ms);
      else super(...args);
    }
    static now() {
      return RealDate.now() + ms;
    }
  };
}

async function work({ itemId }, job) {
  await reach("before-work");
  report({ begun: job.operationId, attempt: job.attempt });
  // A bigint result, which JSON cannot represent.
  if (itemId.startsWith("garbage")) return 1n;
  await ownBehaviors[itemId.split("-")[0]]?.(job);
  await reach("in-work");
  const effect = async (tx) => {
    await store.writeEffect([job.operationId, itemId, job.attempt], tx);
    await reach("after-effect");
    return { itemId, attempt: job.attempt };
  };
  if (!options.transactional) return effect();
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
  await service.close();
  await queue?.close();
  await store.close();
  process.disconnect();
}

/** Submits all lists from the first one on, as an import does that is started again. Repeats a list until it is recorded. */
async function importLists({ count, size }) {
  const [orders] = service.definitions;
  for (let list = 0; list < count; ) {
    const names = Array.from({ length: size }, (_, index) => `import-${list}-${index}`);
    const items = names.map((itemId) => ({ input: { itemId, quantity: 1 }, key: itemId }));
    try {
      const outcomes = await service.submitMany(orders, items, { tenant: "anonymous" });
      report({ imported: outcomes.map(({ operationId }) => operationId) });
      list += 1;
    } catch {
      await sleep(50);
    }
  }
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
report({ listening: server?.address().port ?? 0 });
if (options.lists) void importLists(options.lists);
