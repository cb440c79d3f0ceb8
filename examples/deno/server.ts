/**
 * An order service on Deno. `deno serve` serves the default export, and the worker runs in the same process. No
 * permissions are needed.
 *
 *     deno add npm:async-request-reply
 *     deno serve --host 127.0.0.1 --port 3000 server.ts
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

// After a signal, Deno accepts no more requests and exits as soon as nothing runs any more.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void worker.stop());

export default { fetch: toFetchHandler(service) };
