// A process that accepts or runs orders in an SQLite file that it shares with other processes. A `transactor` runs them in
// transactions, and kills itself as the item of the order says: in the function, or after the commit.
import { createRequire } from "node:module";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";

const require = createRequire(new URL("../sqlite/package.json", import.meta.url));
const [client, path, role] = process.argv.slice(2);
const Database = require(client);

const database = new Database(path);
// A process that missed its wake-ups would be noticed, because it polls only once a minute.
const backend = createSqliteBackend({ database, pollIntervalMs: 60_000 });
const service = createOrderService({ backend, authorize: allowAnonymous(), observe: false });

async function submit(key) {
  const headers = { "content-type": "application/json", "idempotency-key": `"${key}"` };
  const body = JSON.stringify({ itemId: key.startsWith("dies") ? key : "book", quantity: 1 });
  for (;;) {
    const reply = await service.handle({ method: "POST", path: "/orders", headers, body });
    if (reply.status === 202)
      return process.send({ accepted: key, id: reply.headers.location.slice("/operations/".length) });
    if (reply.status !== 503) return process.send({ refused: key, status: reply.status });
  }
}

const roles = {
  api: () => {
    process.on("message", ({ keys }) => void Promise.all(keys.map(submit)));
  },
  worker: () => run(8, (_, job) => void process.send({ ran: job.operationId, attempt: job.attempt })),
  transactor: () => run(1, transact),
};

async function run(concurrency, orders) {
  const options = { leaseMs: 1_000, sweepIntervalMs: 500, concurrency, maxAttempts: 20 };
  await createWorker(service, { orders }, options).start();
}

function die() {
  process.kill(process.pid, "SIGKILL");
  // The signal can arrive a moment later.
  for (;;);
}

let tell;
const told = new Promise((resolve) => {
  tell = resolve;
});

async function transact({ itemId }, job) {
  await told;
  await job.transaction(() => {
    database.prepare("insert into effects values (?, ?)").run(job.operationId, itemId);
    if (job.attempt === 1 && itemId.startsWith("dies-within")) die();
  });
  if (itemId.startsWith("dies-after")) die();
}

process.on("disconnect", () => process.exit(0));
await roles[role]();
process.send({ ready: true }, tell);
