import assert from "node:assert/strict";
import { load } from "../../against/build.mjs";
import { runCalls } from "../../postgres/inside/load.mjs";
import { newOrder, TENANT } from "../../postgres/inside/orders.mjs";
import { beginSpending, expectCount } from "../../postgres/inside/spent.mjs";
import { toRequest } from "../../postgres/variants/order-service.mjs";
import { openDatabase } from "./database.mjs";

const { allowAnonymous, createMemoryBackend, createOrderService, createWorker } = await load("index");
const { createSqliteBackend } = await load("sqlite");

const CLIENTS = 32;
/** So few that a sample takes milliseconds. The longer it is, the more the machine and the garbage collector vary between two. */
const ORDERS = 128;

/** The back end with and without its counts by minute. Both run in one process, each on its own store. */
export async function open({ memory = false }) {
  const sides = [await openSide({ memory, isCounted: true }), await openSide({ memory, isCounted: false })];
  return {
    sides,
    close: async () => {
      for (const side of sides) await side.close();
    },
  };
}

async function openSide({ memory, isCounted }) {
  const file = memory ? undefined : openDatabase();
  const backend = memory ? createMemoryBackend() : createSqliteBackend({ database: file.database });
  await backend.check();
  let onEvent = () => {};
  const service = createOrderService({
    backend: isCounted ? backend : { ...backend, minutes: undefined },
    authorize: allowAnonymous(),
    observe: (event) => onEvent(event),
    // So that every sample begins with an empty store.
    retentionMs: 1,
  });
  const [definition] = service.definitions;
  const { minutes } = service[Symbol.for("async-request-reply.shared")];
  const worker = createWorker(service, { orders: () => {} }, { concurrency: ORDERS });
  let recorded = 0;

  async function accept() {
    const requests = newOrders().map(toRequest);
    const spent = beginSpending([]);
    await runCalls(CLIENTS, ORDERS, async () => {
      const { status } = await service.handle(requests.pop());
      assert.equal(status, 202);
    });
    return spent(ORDERS);
  }

  /** Leaves out how a run starts and ends: a worker that stays busy names what it serves once a minute, and writes every 10 s. */
  async function attempt() {
    let completed = 0;
    let figures;
    onEvent = ({ event }) => {
      if (event !== "operation.completed") return;
      completed += 1;
      if (completed === ORDERS) figures = spent(ORDERS);
    };
    const idle = worker.runUntilIdle();
    const spent = beginSpending([]);
    await idle;
    expectCount("completed", completed, ORDERS);
    return figures;
  }

  /** `flush` reads the operations back to count them, and writes the counts. A process does both every 10 s. */
  async function record() {
    const orders = newOrders();
    const spent = beginSpending([]);
    const prepared = [];
    for (const { key, input } of orders)
      prepared.push(await service.prepare(definition, JSON.parse(input), { tenant: TENANT, key }));
    file.database.transaction(() => prepared.map((each) => each.record(file.database))).immediate();
    await minutes?.flush();
    return spent(ORDERS);
  }

  async function cleanUp() {
    recorded += ORDERS;
    while ((await backend.submissions.purge({ limit: ORDERS })) > 0);
    file?.database.pragma("wal_checkpoint(TRUNCATE)");
  }

  return {
    /** Accepts orders as requests to the service, and runs them. */
    handle: async () => {
      const figures = { accept: await accept(), attempt: await attempt() };
      await cleanUp();
      return figures;
    },
    /** Records orders in a transaction of the user. */
    record: async () => {
      const figures = { record: await record() };
      await attempt();
      await cleanUp();
      return figures;
    },
    close: async () => {
      await minutes?.flush();
      const to = 60_000 * Math.ceil((Date.now() + 1) / 60_000);
      const steps = await backend.minutes.read({ from: to - 3_600_000, to, stepMs: 3_600_000 });
      const accepted = steps.reduce((sum, step) => sum + step.accepted, 0);
      expectCount("counted", accepted, isCounted ? recorded : 0);
      await service.close();
      file?.close();
    },
  };
}

function newOrders() {
  return Array.from({ length: ORDERS }, () => newOrder());
}
