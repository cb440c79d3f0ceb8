/**
 * An Express 5 application with an order service and another route. The service comes before the body parser, because
 * it reads the body as it was sent. Run `npm run build:start && node examples/express/dist/server.js`, then
 *
 * curl -i localhost:3000/orders -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "order-1"' -d '{"itemId":"book","quantity":1}'
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { bearer, createOrderService, createWorker, logEvents } from "async-request-reply";
import { toExpressHandler } from "async-request-reply/express";
import { closeServer } from "async-request-reply/node";
import express, { type ErrorRequestHandler } from "express";
import * as z from "zod";

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

const quoteRequest = z.strictObject({ quantity: z.int().positive() });

const reportError: ErrorRequestHandler = (error, _req, res, _next) => {
  const status = error instanceof z.ZodError ? 400 : Number(error.status ?? 500);
  if (status >= 500) console.error(error);
  res.status(status).json({ error: status >= 500 ? "Something went wrong." : error.message });
};

const app = express();
app.use(["/orders", "/operations"], toExpressHandler(service));
app.use(express.json());
app.post("/quotes", (req, res) => {
  const { quantity } = quoteRequest.parse(req.body);
  res.json({ price: quantity * 12 });
});
app.use(reportError);

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
await once(server, "listening");
await worker.start();
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

process.once("SIGTERM", () => closeServer(server, service));
