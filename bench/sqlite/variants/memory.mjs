import { load } from "../../against/build.mjs";
import { openOrderService } from "../../postgres/variants/order-service.mjs";

const { createMemoryBackend } = await load("index");

/** The back end in memory. Announces each order itself, because nothing else tells its queue of an order. */
export async function open() {
  let backend;
  let order;
  const renew = () => {
    backend = createMemoryBackend({ maxAnnouncements: 1_000_000 });
    order = openOrderService(backend, { retentionMs: 86_400_000 });
  };
  renew();
  return {
    accept: async (given) => {
      await order.record(given);
      const { id, definition } = given;
      await backend.queue.publish([{ version: 1, id: `${id}.bench`, operationId: id, definition }]);
    },
    reset: async () => renew(),
    startWork: (events) => order.startWork(events),
    close: () => backend.close(),
  };
}
