/**
 * An order service on Bun. Bun serves the default export, and the worker runs in the same process.
 *
 *     bun add async-request-reply
 *     bun server.ts                       # or on another port: PORT=8080 bun server.ts
 *
 *     curl -i localhost:3000/orders -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *       -H 'Idempotency-Key: "order-1"' -d '{"itemId":"book","quantity":1}'
 *
 * Operations are kept in memory and are lost when the process ends. To keep them, pass a `backend` to
 * `createOrderService`.
 */
import { bearer, createOrderService, createWorker, permanentFailure } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";

const service = createOrderService({ authorize: bearer({ "demo-token": "demo" }) });

const worker = createWorker(service, {
  orders: ({ itemId, quantity }) => {
    if (itemId === "unicorn") throw permanentFailure("Unicorns are sold out.");
    return { shipped: quantity, itemId };
  },
});
await worker.start();

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => void worker.stop().then(() => process.exit()));
}

export default {
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 3000),
  fetch: toFetchHandler(service),
};
