import { createCounter } from "./counter.mjs";
import { runLoops } from "./load.mjs";
import { newOrder } from "./orders.mjs";
import { beginSpending, expectCount } from "./spent.mjs";

/** Accepts from concurrent loops while a worker runs, until everything is completed. */
export async function queue(variant, { clients, seconds, pids }) {
  await variant.reset();
  const completed = createCounter();
  const stop = await variant.startWork({ onCompleted: completed.add });
  const spent = beginSpending(pids);
  const { length: calls } = await runLoops(clients, seconds, () => variant.accept(newOrder()));
  await completed.reached(calls);
  const figures = spent(calls);
  await stop();
  expectCount("completed", await variant.completed(), calls);
  return figures;
}
