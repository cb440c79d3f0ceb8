import { describe, expect, it } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { type ChaosBench, type ChaosOptions, runChaos } from "./chaos.js";
import type { ResourceUse } from "./order-processes.js";
import { describeOnEachStore, useFaultBench, useSqliteBench } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 50_000);
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const fsync = true;

/** Runs the orders, and prints the faults and the replies. */
async function runOrders(bench: ChaosBench, options: Partial<ChaosOptions> = {}) {
  const report = await runChaos(bench, { seed: SEED, orders: ORDERS, ...options });
  const replies: Record<number, number> = {};
  for (const { statuses } of report.sent)
    for (const status of statuses) replies[status] = (replies[status] ?? 0) + 1;
  console.log({ faults: report.faults, replies });
  expect(report.sent).toHaveLength(ORDERS);
  return report;
}

describeWithPostgres("processes and a Postgres killed at random", (installation) => {
  const bench = useFaultBench(installation, { fsync });

  it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, () => runOrders(bench()));
});

describeWithPostgres("processes and a Postgres killed at random, with transactional work", (installation) => {
  const bench = useFaultBench(installation, { fsync });

  it(`apply the effect of each of ${ORDERS} orders once (seed ${SEED})`, () =>
    runOrders(bench(), { transactional: true }));
});

describe("processes killed at random that share an SQLite file", () => {
  const bench = useSqliteBench();

  it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, () => runOrders(bench()));
});

describeOnEachStore(
  "processes killed at random while all places are taken",
  (bench) => {
    it(`complete each of ${ORDERS} orders within the limit and in the order of its lane (seed ${SEED})`, async () => {
      const { mostHeld } = await runOrders(bench(), { places: { running: 6, lanes: 400 } });
      expect(mostHeld).toBe(6);
    });
  },
  { fsync },
);

describeOnEachStore(
  "a process that outlives all others (F24)",
  (bench) => {
    it(`leaks neither memory nor handles in ${SOAK_MINUTES} minutes (seed ${SEED})`, async () => {
      const { sent, faults, measurements, warnings } = await runChaos(bench(), {
        seed: SEED,
        orders: Number.POSITIVE_INFINITY,
        durationMs: SOAK_MINUTES * 60_000,
        clients: 8,
        pauseMs: 5_000,
      });
      console.log({ orders: sent.length, faults, heapUsed: measurements.map(({ heapUsed }) => heapUsed) });
      expect(warnings).toEqual([]);
      // The first third is left out, because caches fill and code is compiled until then.
      const steady = measurements.slice(Math.floor(measurements.length / 3));
      const half = Math.floor(steady.length / 2);
      const [early, late] = [steady.slice(0, half), steady.slice(half)];
      expect(median(late, "heapUsed")).toBeLessThan(median(early, "heapUsed") * 1.1 + 1_048_576);
      expect(median(late, "handles")).toBeLessThan(median(early, "handles") + 10);
    });
  },
  { fsync },
);

function median(measurements: readonly ResourceUse[], member: keyof ResourceUse): number {
  const values = measurements.map((measurement) => measurement[member]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}
