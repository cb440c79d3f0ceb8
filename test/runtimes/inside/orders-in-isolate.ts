/** Keeps orders in the memory of one isolate. The reply comes first, and the work runs in the time that `waitUntil` grants. */
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

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

export default {
  fetch: async (request: Request, _env: unknown, context: Context): Promise<Response> => {
    const response = await handle(request, context);
    if (response.status === 202) context.waitUntil(worker.runUntilIdle());
    return response;
  },
};
