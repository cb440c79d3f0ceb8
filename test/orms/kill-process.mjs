// Submits orders in transactions of a library and completes them in others, until it kills itself at a point.
import { randomUUID } from "node:crypto";
import { allowAnonymous, createOrderService, createWorker } from "../../dist/index.js";
import * as bridges from "../../dist/postgres.js";

const [libraryFile, url, schema, point, count] = process.argv.slice(2);
const { library } = await import(libraryFile);
const orm = await library.open(url, bridges);
const { pool, transactions } = orm;
const backend = bridges.createPostgresBackend({ pool, transactions, schema });
const service = createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });
const [orders] = service.definitions;

let left = Number(count);
/** Kills this process when it passes the point for the last time. */
function pass(passed) {
  if (passed === point && --left === 0) process.kill(process.pid, "SIGKILL");
}

async function submitOrders() {
  for (;;) {
    await orm.begin(async (tx) => {
      const options = { tenant: "anonymous", key: randomUUID(), tx };
      const { operationId } = await service.submit(orders, { itemId: "book", quantity: 1 }, options);
      pass("before-row");
      await orm.run(tx, `insert into "${schema}".submitted values ('${operationId}')`);
      pass("before-commit");
      // Runs when the commit has been sent.
      setImmediate(() => pass("during-commit"));
    });
    pass("before-reply");
  }
}

const worker = createWorker(
  service,
  {
    orders: (_, job) =>
      job.transaction(async (tx) => {
        pass("before-effect");
        await orm.run(tx, `insert into "${schema}".effects values ('${job.operationId}')`);
        pass("before-completion");
        setImmediate(() => pass("during-completion"));
      }),
  },
  // Kills use up attempts, and the wait would grow with each.
  { concurrency: 4, leaseMs: 1_000, maxAttempts: 1_000, backoff: { baseMs: 1, maxMs: 1 } },
);
await worker.start();
await Promise.all([submitOrders(), submitOrders()]);
