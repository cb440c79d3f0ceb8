/**
 * An order service on Cloudflare Workers. The reply comes first, and the work runs in the time that `waitUntil`
 * grants.
 *
 *     npm install async-request-reply
 *     npx wrangler dev worker.ts --compatibility-date 2026-01-01
 *
 * Or run it on workerd, with config.capnp next to this file:
 *
 *     npx esbuild worker.ts --bundle --format=esm --platform=neutral --conditions=workerd,worker,browser \
 *       --outfile=dist/worker.js
 *     npx workerd serve config.capnp
 *
 * This example shows the calls, and is not ready to deploy. It keeps operations in the memory of one isolate. The
 * platform runs many isolates and ends them at any time, so a status request may reach one that does not know the
 * order. To deploy it, pass a `backend` that all isolates share to `createOrderService`. Retries are due when no
 * request is running, so also call `runUntilIdle` from a Cron Trigger.
 */
import { bearer, createOrderService, createWorker, permanentFailure } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";

// Waiting and streams need timers that outlive the request that created them.
const service = createOrderService({
  authorize: bearer({ "demo-token": "demo" }),
  maxWaitMs: 0,
  maxStreamMs: 0,
});
const handle = toFetchHandler(service);

// The worker is not started, because an isolate can neither wait nor receive outside a request.
const worker = createWorker(service, {
  orders: ({ itemId, quantity }) => {
    if (itemId === "unicorn") throw permanentFailure("Unicorns are sold out.");
    return { shipped: quantity, itemId };
  },
});

export default {
  fetch: async (request: Request, _env: unknown, ctx: ExecutionContext): Promise<Response> => {
    const response = await handle(request, ctx);
    if (response.status === 202) ctx.waitUntil(worker.runUntilIdle());
    return response;
  },
};

/** The part of `ExecutionContext` from `@cloudflare/workers-types` that this example uses. */
interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}
