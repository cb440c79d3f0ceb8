import { load } from "../../against/build.mjs";
import { openOrderService } from "../../postgres/variants/order-service.mjs";

const { createMemoryBackend } = await load("index");

/** The back end in memory. */
export async function open() {
  let backend;
  let order;
  const renew = () => {
    backend = createMemoryBackend();
    order = openOrderService(backend, { retentionMs: 86_400_000 });
  };
  renew();
  return {
    accept: (given) => order.record(given),
    reset: async () => renew(),
    startWork: (events) => order.startWork(events),
    close: () => backend.close(),
  };
}
