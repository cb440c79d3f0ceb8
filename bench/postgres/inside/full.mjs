import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../report.mjs";
import { createCounter } from "./counter.mjs";
import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";

const CLIENTS = 64;
/** So that each tenant has work that waits, also after one of its orders has ended. */
const ORDERS_EACH = 3;
const ENDS = 100;
const PAUSE_MS = 30;

/**
 * Lets an order of each tenant run, which is as many as its limit allows, and ends some of them, one after the other. Returns how
 * long it took from the end of an order to the start of the next one of its tenant, and the longest block of the event loop.
 */
export async function full(variant, { tenants }) {
  await variant.reset();
  const tenantOf = new Map();
  let made = 0;
  await runCalls(CLIENTS, tenants * ORDERS_EACH, () => {
    const order = { ...newOrder(), tenant: `tenant ${made++ % tenants}` };
    tenantOf.set(order.id, order.tenant);
    return variant.accept(order);
  });
  const ends = new Map();
  const waiting = new Map();
  const started = createCounter();
  let ending = false;
  const stop = await variant.startWork({
    concurrency: tenants + 10,
    onStart: (id) => {
      const tenant = tenantOf.get(id);
      started.add();
      waiting.get(tenant)?.(performance.now());
      return ending ? undefined : new Promise((end) => ends.set(tenant, end));
    },
    onCompleted: () => {},
  });
  await started.reached(tenants);
  await sleep(1_000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const tookMs = [];
  for (let index = 0; index < ENDS; index++) {
    const tenant = `tenant ${Math.floor((index * tenants) / ENDS)}`;
    const nextStart = new Promise((resolve) => waiting.set(tenant, resolve));
    const endedAt = performance.now();
    ends.get(tenant)();
    tookMs.push((await nextStart) - endedAt);
    await sleep(PAUSE_MS);
  }
  delay.disable();
  ending = true;
  for (const end of ends.values()) end();
  await stop();
  return {
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
    longestBlockMs: delay.max / 1_000_000,
  };
}
