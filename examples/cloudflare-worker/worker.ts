/**
 * Orders on Cloudflare Workers: the reply first, then the work on the time that `waitUntil` gives.
 *
 *     npm install async-request-reply
 *     npx wrangler dev worker.ts --compatibility-date 2026-01-01
 *
 * Or in the runtime alone, with config.capnp beside this file:
 *
 *     npx esbuild worker.ts --bundle --format=esm --platform=neutral --conditions=workerd,worker,browser \
 *       --outfile=dist/worker.js
 *     npx workerd serve config.capnp
 *
 * This shows the calls and is no deployment. Operations are kept in the memory of one isolate: the platform runs many of
 * them, so that a status request may reach one that knows nothing of the order, and ends them when it likes. A deployment
 * gives `createOrderService` a `backend` that all isolates share. What is to be tried again later is due at a time when
 * nothing runs here: a Cron Trigger has to call `runUntilIdle` as well.
 */
import { bearer, createOrderService, createWorker, permanentFailure } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";

const service = createOrderService({ authorize: bearer({ "demo-token": "demo" }) });
const handle = toFetchHandler(service);

// Not started: outside of a request an isolate can neither wait nor receive.
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

/** What this uses of the type with this name in `@cloudflare/workers-types`. */
interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}
