import { expectCount } from "../postgres/inside/spent.mjs";
import { quantile } from "../postgres/report.mjs";

/** Accepts from concurrent loops while the worker runs, until everything is completed. */
export async function measureThroughput({ api, worker, beginSpending }, load) {
  await api("reset");
  await worker("begin");
  const spent = await beginSpending();
  const { startedAt, count } = await api("load", load);
  const endedAt = await worker("completed", { count });
  const figures = await spent(count);
  expectCount("completed", await api("completed"), count);
  return { ...figures, wallUs: ((endedAt - startedAt) * 1e3) / count };
}

/** Accepts at random times. `wallUs` is the time from the call to the start of the work. */
export async function measureLatency({ api, worker, beginSpending }, trickle) {
  await api("reset");
  await worker("begin");
  const spent = await beginSpending();
  const orders = await api("trickle", trickle);
  await worker("completed", { count: orders.length });
  const figures = await spent(orders.length);
  expectCount("completed", await api("completed"), orders.length);
  const starts = new Map(await worker("starts"));
  const acceptMs = orders.map(({ calledAt, acceptedAt }) => acceptedAt - calledAt);
  const startMs = orders.map(({ id, acceptedAt }) => starts.get(id) - acceptedAt);
  const totalMs = orders.map(({ id, calledAt }) => starts.get(id) - calledAt);
  return {
    ...figures,
    acceptP50Ms: quantile(acceptMs, 0.5),
    startP50Ms: quantile(startMs, 0.5),
    startP99Ms: quantile(startMs, 0.99),
    wallUs: quantile(totalMs, 0.5) * 1e3,
  };
}
