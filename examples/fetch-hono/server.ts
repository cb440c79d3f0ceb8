/**
 * A Hono application with an order service and another route. Everything up to `worker.start()` also runs on Bun, Deno
 * and Workers, which call `app.fetch` as well. Run `npm run build:start && node examples/fetch-hono/dist/server.js`,
 * then
 *
 * curl -i localhost:3000/orders -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "order-1"' -d '{"itemId":"book","quantity":1}'
 */
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { bearer, createOrderService, createWorker, logEvents } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { closeServer } from "async-request-reply/node";
import { Hono } from "hono";

const service = createOrderService({
  authorize: bearer({ "demo-token": "demo" }),
  observe: logEvents(console),
});
const worker = createWorker(service, {
  orders: async ({ itemId, quantity }, { signal }) => {
    await sleep(300, undefined, { signal });
    return { shipped: quantity, itemId };
  },
});

const handle = toFetchHandler(service);
const app = new Hono();
app.get("/items/:itemId", (c) => c.json({ itemId: c.req.param("itemId"), price: 12 }));
app.on("ALL", ["/orders", "/operations/*"], (c) => handle(c.req.raw));
app.notFound((c) => c.json({ error: "There is nothing here." }, 404));

await worker.start();
const address = { hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) };
const server = serve({ fetch: app.fetch, ...address }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});

process.once("SIGTERM", () => closeServer(server, service));
