import { quantile } from "../report.mjs";
import { createCounter } from "./counter.mjs";
import { newOrder } from "./orders.mjs";
import { expectCount } from "./spent.mjs";

/** Measures the time from the accepting call to the start of the work, under low load. */
export async function latency(variant, { perSecond, seconds }) {
  await variant.reset();
  const calledAt = new Map();
  const latenciesMs = [];
  const onStart = (id) => latenciesMs.push(performance.now() - calledAt.get(id));
  const completed = createCounter();
  const stop = await variant.startWork({ onStart, onCompleted: completed.add });
  const count = Math.round(perSecond * seconds);
  const accepted = [];
  for (let index = 0; index < count; index++) {
    await pause((1_000 / perSecond) * 2 * Math.random());
    const order = newOrder();
    calledAt.set(order.id, performance.now());
    accepted.push(variant.accept(order));
  }
  await Promise.all(accepted);
  await completed.reached(count);
  await stop();
  expectCount("completed", await variant.completed(), count);
  return { p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99) };
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
