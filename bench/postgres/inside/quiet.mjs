import { quantile } from "../report.mjs";
import { createCounter } from "./counter.mjs";
import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";

const CLIENTS = 64;
const TENANTS = 1_000;
const PER_SECOND = 250;

/**
 * Accepts one order of each of a thousand tenants at random times, while the backlog of a noisy one is worked off. Returns how
 * long their orders waited from the accepting call to the start of the work.
 */
export async function quiet(variant, { backlog }) {
  await variant.reset();
  await runCalls(CLIENTS, backlog, () => variant.accept({ ...newOrder(), tenant: "noisy" }));
  const calledAt = new Map();
  const waitsMs = [];
  const started = createCounter();
  const stop = await variant.startWork({
    onStart: (id) => {
      const at = calledAt.get(id);
      if (at === undefined) return;
      waitsMs.push(performance.now() - at);
      started.add();
    },
    onCompleted: () => {},
  });
  for (let index = 0; index < TENANTS; index++) {
    await new Promise((resolve) => setTimeout(resolve, (2_000 / PER_SECOND) * Math.random()));
    const order = { ...newOrder(), tenant: `quiet ${index}` };
    calledAt.set(order.id, performance.now());
    void variant.accept(order);
  }
  await started.reached(TENANTS);
  await stop();
  return { p50Ms: quantile(waitsMs, 0.5), p99Ms: quantile(waitsMs, 0.99) };
}
