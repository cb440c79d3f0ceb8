import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bearer, createOrderService, createWorker, permanentFailure } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";

const service = createOrderService({ authorize: bearer({ "demo-token": "demo" }) });
const worker = createWorker(service, {
  orders: ({ itemId, quantity }) => {
    if (itemId === "unicorn") throw permanentFailure("Unicorns are sold out.");
    return { shipped: quantity, itemId };
  },
});

const server = createServer(toNodeHandler(service)).listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(`listening on http://127.0.0.1:${port}`);
});
await worker.start();
