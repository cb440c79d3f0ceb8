import { load } from "./build.mjs";

const { allowAnonymous, createMemoryBackend, createOrderService, createWorker } = await load("index");

const request = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json" },
  body: '{"itemId":"SKU-0001-BLUE","quantity":2}',
};

/** Submits orders to a new service in memory, and runs them. */
export function attempts() {
  return {
    begin: () => async (inputs) => {
      const backend = createMemoryBackend();
      const service = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
      const worker = createWorker(service, { orders: () => {} });
      for (const input of inputs) await service.handle(input);
      await worker.runUntilIdle();
    },
    input: () => request,
  };
}
