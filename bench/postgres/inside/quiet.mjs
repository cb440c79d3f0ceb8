import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../report.mjs";
import { createCounter } from "./counter.mjs";
import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";

const CLIENTS = 64;
const TENANTS = 1_000;
const PER_SECOND = 250;

/**
 * Accepts one order of each of a thousand tenants at random times, while the backlog of a noisy one is worked off. The work on
 * each order takes a random time, `workMs` on average. Returns how long their orders waited from the accepting call to the start
 * of the work.
 */
export async function quiet(variant, { backlog, workMs }) {
  await variant.reset();
  await runCalls(CLIENTS, backlog, () => variant.accept({ ...newOrder(), tenant: "noisy" }));
  const calledAt = new Map();
  const waitsMs = [];
  const started = createCounter();
  const stop = await variant.startWork({
    onStart: (id) => {
      const at = calledAt.get(id);
      if (at !== undefined) {
        waitsMs.push(performance.now() - at);
        started.add();
      }
      return workMs > 0 ? sleep(2 * workMs * Math.random()) : undefined;
    },
    onCompleted: () => {},
  });
  for (let index = 0; index < TENANTS; index++) {
    await sleep((2_000 / PER_SECOND) * Math.random());
    const order = { ...newOrder(), tenant: `quiet ${index}` };
    calledAt.set(order.id, performance.now());
    void variant.accept(order);
  }
  await started.reached(TENANTS);
  await stop();
  return { p50Ms: quantile(waitsMs, 0.5), p99Ms: quantile(waitsMs, 0.99) };
}
