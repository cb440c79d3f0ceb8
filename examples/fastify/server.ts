/**
 * A Fastify 5 application with an order service and another route. Fastify parses the body of the other route only:
 * the service takes its requests before that. Run `npm run build:start && node examples/fastify/dist/server.js`, then
 *
 * curl -i localhost:3000/orders -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "order-1"' -d '{"itemId":"book","quantity":1}'
 */
import { setTimeout as sleep } from "node:timers/promises";
import { bearer, createOrderService, createWorker, logEvents } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import Fastify from "fastify";

const app = Fastify({ logger: true });

const service = createOrderService({
  authorize: bearer({ "demo-token": "demo" }),
  observe: logEvents(app.log),
});
const worker = createWorker(service, {
  orders: async ({ itemId, quantity }, { signal }) => {
    await sleep(300, undefined, { signal });
    return { shipped: quantity, itemId };
  },
});

const handle = toNodeHandler(service);
for (const path of ["/orders", "/operations/*"]) {
  app.all(path, {
    // The hooks of plugins have run, and Fastify has read neither the body nor its type. After `hijack` it leaves the
    // request alone, and does not send the fields that those hooks have set.
    preParsing: (request, reply) => {
      reply.hijack();
      for (const [name, value = ""] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value);
      handle(request.raw, reply.raw);
    },
    handler: () => {},
  });
}

app.post<{ Body: { readonly quantity: number } }>("/quotes", {
  schema: { body: { type: "object", required: ["quantity"], properties: { quantity: { type: "integer" } } } },
  handler: ({ body }) => Promise.resolve({ price: body.quantity * 12 }),
});

app.addHook("onReady", () => worker.start());
// Not `onClose`, which waits until the last stream has ended.
app.addHook("preClose", () => service.close());
const url = await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${url}`);

process.once("SIGTERM", () => {
  // A client that keeps its connection open must not keep the process alive.
  setTimeout(() => app.server.closeAllConnections(), 10_000).unref();
  void app.close();
});
