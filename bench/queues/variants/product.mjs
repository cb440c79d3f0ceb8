import { allowAnonymous, createOrderService, createWorker, withQueue } from "../../../dist/index.js";
import { createPostgresBackend } from "../../../dist/postgres.js";
import { newOrder, TENANT } from "../../postgres/inside/orders.mjs";
import { countOf, createPool, emptied } from "../../postgres/variants/pool.mjs";

const TABLE = "async_request_reply.operations";
const input = JSON.parse(newOrder().input);

/** Accepts with `service.submit`. Without a broker, the queue is that of Postgres. */
export async function openApi(options) {
  const { pool, postgres, service, close } = await openService(options);
  await postgres.migrate();
  const [orders] = service.definitions;
  return {
    accept: async () => {
      const { key } = newOrder();
      const { operationId } = await service.submit(orders, input, { tenant: TENANT, key });
      return operationId;
    },
    reset: () => emptied(pool, TABLE),
    completed: () => countOf(pool, `${TABLE} where state = 'completed'`),
    close,
  };
}

/** Runs a worker whose processor does nothing. */
export async function openWorker({ slots, onStart, onCompleted, ...options }) {
  const observe = ({ event, ...details }) => {
    if (event === "operation.completed") onCompleted(1);
    if (event === "background.failed") console.error(details);
  };
  const { service, close } = await openService({ ...options, observe });
  const processors = { orders: async (_order, { operationId }) => void onStart(operationId) };
  const worker = createWorker(service, processors, { concurrency: slots });
  await worker.start();
  return {
    close: async () => {
      await worker.stop();
      await close();
    },
  };
}

async function openService({ url, broker, brokerUrl, observe }) {
  const pool = createPool(url);
  const postgres = createPostgresBackend({ pool });
  const opened = broker === undefined ? undefined : await openBroker(broker, brokerUrl);
  const backend = opened === undefined ? postgres : withQueue(postgres, opened.queue);
  return {
    pool,
    postgres,
    service: createOrderService({ backend, authorize: allowAnonymous(), observe }),
    close: async () => {
      await backend.close();
      await opened?.close();
      await pool.end();
    },
  };
}

async function openBroker(broker, url) {
  const { openQueue } = await import(`../brokers/${broker}.mjs`);
  return openQueue(url);
}
