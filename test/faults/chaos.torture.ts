import { describe, expect, it } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { runChaos } from "./chaos.js";
import type { ResourceUse } from "./order-processes.js";
import { describeOnEachStore, useFaultBench, useSqliteBench } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 50_000);
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 30);

describeWithPostgres("processes and a Postgres killed at random", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });

  it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, async () => {
    const { sent, faults } = await runChaos(bench(), { seed: SEED, orders: ORDERS });
    expect(sent).toHaveLength(ORDERS);
    console.log({ faults, replies: countStatuses(sent.flatMap(({ statuses }) => statuses)) });
  });
});

describeWithPostgres("processes and a Postgres killed at random, with transactional work", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });

  it(`apply the effect of each of ${ORDERS} orders once (seed ${SEED})`, async () => {
    const { sent, faults } = await runChaos(bench(), { seed: SEED, orders: ORDERS, transactional: true });
    expect(sent).toHaveLength(ORDERS);
    console.log({ faults, replies: countStatuses(sent.flatMap(({ statuses }) => statuses)) });
  });
});

describe("processes killed at random that share an SQLite file", () => {
  const bench = useSqliteBench();

  it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, async () => {
    const { sent, faults } = await runChaos(bench(), { seed: SEED, orders: ORDERS });
    expect(sent).toHaveLength(ORDERS);
    console.log({ faults, replies: countStatuses(sent.flatMap(({ statuses }) => statuses)) });
  });
});

describeOnEachStore(
  "processes killed at random while all places are taken",
  (bench) => {
    it(`complete each of ${ORDERS} orders within the limit and in the order of its lane (seed ${SEED})`, async () => {
      const places = { running: 6, lanes: 400 };
      const { sent, faults, mostHeld } = await runChaos(bench(), { seed: SEED, orders: ORDERS, places });
      expect(sent).toHaveLength(ORDERS);
      expect(mostHeld).toBe(places.running);
      console.log({ faults, replies: countStatuses(sent.flatMap(({ statuses }) => statuses)) });
    });
  },
  { fsync: true },
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
  { fsync: true },
);

function median(measurements: readonly ResourceUse[], member: keyof ResourceUse): number {
  const values = measurements.map((measurement) => measurement[member]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function countStatuses(statuses: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
