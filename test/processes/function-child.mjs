// A function on a platform: it works on orders in an SQLite file for a limited time, and is then killed from outside.
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { createOrderService, createWorker } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";

const require = createRequire(new URL("../sqlite/package.json", import.meta.url));
const [client, path, maxMs] = process.argv.slice(2);
const Database = require(client);

const database = new Database(path);
const service = createOrderService({ backend: createSqliteBackend({ database }), observe: false });
const worker = createWorker(
  service,
  {
    orders: async ({ quantity }, job) => {
      await sleep(quantity, undefined, { signal: job.signal });
      await job.transaction(() => {
        database.prepare("insert into effects values (?)").run(job.operationId);
      });
    },
  },
  { concurrency: 4, leaseMs: 1_000, maxAttempts: 20 },
);
process.send({ ready: true });
process.send({ summary: await worker.runFor({ maxMs: Number(maxMs) }) });
// The platform does not wait for the end of the process.
setInterval(() => {}, 60_000);
