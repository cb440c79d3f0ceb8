import { monitorEventLoopDelay } from "node:perf_hooks";
import { quantile } from "../report.mjs";
import { runLoops } from "./load.mjs";
import { newOrder } from "./orders.mjs";
import { beginSpending, expectCount } from "./spent.mjs";

/** Accepts from concurrent loops, without a worker. With `watchLoop`, also measures how long the event loop was blocked. */
export async function accept(variant, { clients, seconds, pids, watchLoop = false }) {
  await variant.reset();
  const before = await variant.accepted();
  const delay = watchLoop ? monitorEventLoopDelay({ resolution: 1 }) : undefined;
  delay?.enable();
  const spent = beginSpending(pids);
  const latenciesMs = await runLoops(clients, seconds, () => variant.accept(newOrder(variant.choices)));
  const calls = latenciesMs.length;
  const figures = spent(calls);
  delay?.disable();
  // Background work that is still running would count toward the next sample.
  await variant.settled?.();
  expectCount("accepted", (await variant.accepted()) - before, calls);
  const longestBlockMs = delay === undefined ? {} : { longestBlockMs: delay.max / 1e6 };
  return { ...figures, ...longestBlockMs, p99Ms: quantile(latenciesMs, 0.99) };
}
