// A process that accepts orders and runs them, on an SQLite file. It tells the parent of every event that is counted.
import { createRequire } from "node:module";
import { createOrderService, createWorker } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";

const require = createRequire(new URL("../sqlite/package.json", import.meta.url));
const [client, path] = process.argv.slice(2);
const Database = require(client);

const counts = {};
const service = createOrderService({
  backend: createSqliteBackend({ database: new Database(path) }),
  observe: ({ event }) => {
    counts[event] = (counts[event] ?? 0) + 1;
  },
});
const [orders] = service.definitions;
const worker = createWorker(
  service,
  {
    orders: ({ itemId, quantity }, { attempt }) => {
      if (itemId === "fails" || (quantity % 10 === 0 && attempt === 1)) throw new Error("It fails.");
    },
  },
  { backoff: { baseMs: 1, maxMs: 1 }, maxAttempts: 2, leaseMs: 1_000 },
);
await worker.start();

async function submit({ count }) {
  const items = Array.from({ length: count }, (_, index) => ({
    input: { itemId: index % 20 === 0 ? "fails" : "book", quantity: index + 1 },
  }));
  await service.submitMany(orders, items);
}

process.on("message", async (message) => {
  if ("submit" in message) await submit(message.submit);
  if ("close" in message) await service.close();
  process.send({ counts, closed: "close" in message });
});
process.send({ ready: true });
