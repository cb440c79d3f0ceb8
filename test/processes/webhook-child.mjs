// A process that accepts orders, runs them or delivers webhooks, on an SQLite file that it shares with other processes.
import { createRequire } from "node:module";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { createWebhooks } from "async-request-reply/webhooks";

const require = createRequire(new URL("../sqlite/package.json", import.meta.url));
const [client, path, role, url] = process.argv.slice(2);
const Database = require(client);

const backend = createSqliteBackend({ database: new Database(path), pollIntervalMs: 200 });
const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
const webhooks = createWebhooks({
  endpoint: () => ({ url, secrets }),
  trustedOrigins: [new URL(url).origin],
});
const service = createOrderService({ backend, authorize: allowAnonymous(), webhooks, observe: false });

async function submit() {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ itemId: "book", quantity: 1 });
  const reply = await service.handle({ method: "POST", path: "/orders", headers, body });
  process.send({ accepted: reply.headers.location.slice("/operations/".length) });
}

/** Tells the parent when an order has ended, and delivers nothing itself. */
function createOrderWorker() {
  const source = {
    definitions: service.definitions,
    backend,
    observe: (event) => {
      if (event.event === "operation.completed") process.send({ ended: event.operationId });
    },
  };
  return createWorker(source, { orders: () => {} }, { sweepIntervalMs: 100 });
}

const roles = {
  api: () => process.on("message", () => void submit()),
  orders: () => createOrderWorker().start(),
  deliveries: () => {
    const source = { definitions: service.definitions, backend, webhooks, observe: false };
    return createWorker(source, {}, { sweepIntervalMs: 100 }).start();
  },
};

process.on("disconnect", () => process.exit(0));
await roles[role]();
process.send({ ready: true });
