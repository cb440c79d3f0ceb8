import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { newOrder } from "../../postgres/inside/orders.mjs";
import { createPool, indexScansOnly, prepared } from "../../postgres/variants/pool.mjs";
import { createOrders, ordersTable } from "./orders-table.mjs";

const POLL_MS = 1_000;

const notify = prepared("notify", "select pg_notify('work', '')");
const claim = prepared(
  "claim",
  `with due as (
     select id from work where state = 'pending' and due_at <= now()
     order by due_at limit $1 for update skip locked)
   update work set due_at = now() + interval '30 s' from due where work.id = due.id
   returning work.id, work.input`,
);

/**
 * A table in Postgres as the queue, written by hand. An order is recorded once per key, and NOTIFY wakes up a worker, which claims
 * as many orders as it has free slots. Unlike the product, it does not check the input, compare the payloads of a repeated key,
 * count attempts, renew claims, cancel or purge.
 */
export async function openApi({ url }) {
  const pool = createPool(url, indexScansOnly);
  await createOrders(pool);
  const { record, ...orders } = ordersTable(pool);
  return {
    ...orders,
    accept: async () => {
      const { id } = await record(newOrder());
      // Not awaited: without it, the worker finds the order within a second.
      void pool.query(notify([]));
      return id;
    },
    close: () => pool.end(),
  };
}

/** Runs a worker whose work does nothing. */
export async function openWorker({ url, slots, onStart, onCompleted }) {
  const pool = createPool(url, indexScansOnly);
  const { complete } = ordersTable(pool);
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  let wake = () => {};
  let woken = false;
  listener.on("notification", () => {
    woken = true;
    wake();
  });
  await listener.query("listen work");

  const running = new Set();
  let stopped = false;
  const work = async ({ id, input }) => {
    JSON.parse(input);
    onStart(id);
    onCompleted(await complete(id));
  };
  const run = (order) => {
    const done = work(order).finally(() => running.delete(done));
    running.add(done);
  };
  const nextWake = () =>
    new Promise((resolve) => {
      wake = resolve;
      if (woken) resolve();
    });
  const loop = async () => {
    while (!stopped) {
      woken = false;
      const { rows } = await pool.query(claim([slots - running.size]));
      rows.forEach(run);
      if (running.size === slots) await Promise.race(running);
      else if (rows.length === 0) await Promise.race([nextWake(), sleep(POLL_MS)]);
    }
    await Promise.all(running);
  };
  const looping = loop();
  return {
    close: async () => {
      stopped = true;
      await looping;
      await listener.end();
      await pool.end();
    },
  };
}
