import { expect, it } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { runChaos } from "./chaos.js";
import type { Weight } from "./order-processes.js";
import { useFaultBench } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 50_000);
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 30);

describeWithPostgres("processes and a Postgres that are killed at random", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });

  it(`do each of ${ORDERS} orders once, whatever happens (seed ${SEED})`, async () => {
    const { sent, faults } = await runChaos(bench(), { seed: SEED, orders: ORDERS });
    expect(sent).toHaveLength(ORDERS);
    console.log({ faults, replies: countStatuses(sent.flatMap(({ statuses }) => statuses)) });
  });
});

describeWithPostgres("the same, with work that shares a transaction with its end", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });

  it(`repeat no effect of ${ORDERS} orders (seed ${SEED})`, async () => {
    const { sent, faults } = await runChaos(bench(), { seed: SEED, orders: ORDERS, transactional: true });
    expect(sent).toHaveLength(ORDERS);
    console.log({ faults, replies: countStatuses(sent.flatMap(({ statuses }) => statuses)) });
  });
});

describeWithPostgres("a process that goes on while all others come and go (F24)", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });

  it(`grows neither in memory nor in handles in ${SOAK_MINUTES} minutes (seed ${SEED})`, async () => {
    const { sent, faults, weights, warnings } = await runChaos(bench(), {
      seed: SEED,
      orders: Number.POSITIVE_INFINITY,
      lastsMs: SOAK_MINUTES * 60_000,
      clients: 8,
      pauseMs: 5_000,
    });
    console.log({ orders: sent.length, faults, weights: weights.map(({ heapUsed }) => heapUsed) });
    expect(warnings).toEqual([]);
    // The first third is left out: until then caches fill and code is compiled.
    const settled = weights.slice(Math.floor(weights.length / 3));
    const half = Math.floor(settled.length / 2);
    const [early, late] = [settled.slice(0, half), settled.slice(half)];
    expect(median(late, "heapUsed")).toBeLessThan(median(early, "heapUsed") * 1.1 + 1_048_576);
    expect(median(late, "handles")).toBeLessThan(median(early, "handles") + 10);
  });
});

function median(weights: readonly Weight[], member: keyof Weight): number {
  const values = weights.map((weight) => weight[member]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function countStatuses(statuses: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
