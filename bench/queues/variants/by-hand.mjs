import { newOrder } from "../../postgres/inside/orders.mjs";
import { createPool, indexScansOnly } from "../../postgres/variants/pool.mjs";
import { createOrders, ordersTable } from "./orders-table.mjs";

/**
 * A broker and a table in Postgres, written by hand. An order is recorded once per key and published with a confirm, and a worker
 * skips what is completed. Unlike the product, it does not check the input, compare the payloads of a repeated key, record that an
 * attempt has begun, count attempts, retry, cancel or purge. Two deliveries can run at once. An order whose process dies between
 * INSERT and publish never runs.
 */
export async function openApi({ url, broker, brokerUrl }) {
  const pool = createPool(url, indexScansOnly);
  await createOrders(pool);
  const { record, reset, completed } = ordersTable(pool);
  const { openPublisher } = await import(`../brokers/${broker}.mjs`);
  const { publish, close } = await openPublisher(brokerUrl);
  return {
    accept: async () => {
      const { id, isNew } = await record(newOrder());
      if (isNew) await publish(id);
      return id;
    },
    reset,
    completed,
    close: async () => {
      await close();
      await pool.end();
    },
  };
}

/** Runs a consumer whose work does nothing. */
export async function openWorker({ url, broker, brokerUrl, slots, onStart, onCompleted }) {
  const pool = createPool(url, indexScansOnly);
  const { find, complete } = ordersTable(pool);
  const work = async (id) => {
    const input = await find(id);
    if (input === undefined) return;
    JSON.parse(input);
    onStart(id);
    onCompleted(await complete(id));
  };
  const { openConsumer } = await import(`../brokers/${broker}.mjs`);
  const { close } = await openConsumer(brokerUrl, { slots, work });
  return {
    close: async () => {
      await close();
      await pool.end();
    },
  };
}
