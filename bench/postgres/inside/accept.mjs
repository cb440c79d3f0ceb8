import { quantile } from "../report.mjs";
import { runLoops } from "./load.mjs";
import { newOrder } from "./orders.mjs";
import { beginSpending, expectCount } from "./spent.mjs";

/** Accepts from concurrent loops, without a worker. */
export async function accept(variant, { clients, seconds, pids }) {
  await variant.reset();
  const before = await variant.accepted();
  const spent = beginSpending(pids);
  const latenciesMs = await runLoops(clients, seconds, () => variant.accept(newOrder(variant.choices)));
  const calls = latenciesMs.length;
  const figures = spent(calls);
  // Background work that is still running would count toward the next sample.
  await variant.settled?.();
  expectCount("accepted", (await variant.accepted()) - before, calls);
  return { ...figures, p99Ms: quantile(latenciesMs, 0.99) };
}
