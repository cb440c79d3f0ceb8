/**
 * The order is made before the reply, a 201 with its location, and shipped after it. Reading orders is the application's
 * part, at `GET /orders/<id>`. Run `npm run build:start && node examples/created-201/dist/server.js`, then
 *
 * curl -i localhost:3000/orders -H 'Content-Type: application/json' -H 'Idempotency-Key: "order-1"' \
 *   -d '{"itemId":"book","quantity":1}'
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createOrderService, createWorker, logEvents, type Order } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";

/** Stands for a table of the application. */
const orders = new Map<string, Order & { readonly status: "pending" | "shipped" }>();

const service = createOrderService({
  authorize: allowAnonymous(),
  observe: logEvents(console),
  // Called again, after a crash or a lost answer, it must not make a second order: the id of the operation is its key.
  create: (order, { operationId }) => {
    if (!orders.has(operationId)) orders.set(operationId, { ...order, status: "pending" });
    return { location: `/orders/${operationId}`, body: { orderId: operationId, ...order } };
  },
});
const worker = createWorker(service, {
  orders: async (order, { operationId, signal }) => {
    await sleep(300, undefined, { signal });
    orders.set(operationId, { ...order, status: "shipped" });
  },
});

function showOrder(orderId: string, res: ServerResponse): void {
  const order = orders.get(orderId);
  res.writeHead(order === undefined ? 404 : 200, { "content-type": "application/json" });
  res.end(JSON.stringify(order === undefined ? { error: "There is no such order." } : { orderId, ...order }));
}

const handle = toNodeHandler(service);
const server = createServer((req, res) => {
  const [, orderId] = /^\/orders\/([^/?]+)$/.exec(req.url ?? "") ?? [];
  if (req.method === "GET" && orderId !== undefined) showOrder(orderId, res);
  else handle(req, res);
}).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
await once(server, "listening");
await worker.start();
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

process.once("SIGTERM", () => {
  server.close();
  void worker.stop();
  // A client that does not hang up must not keep the process: by now the worker has stopped waiting, too.
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
});
