import { describe, expect, it } from "vitest";
import { effort } from "../support/effort.js";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { runChaos } from "./chaos.js";
import { useFaultBench, useSqliteBench } from "./use-fault-bench.js";

const seed = Number(process.env.CHAOS_SEED ?? 20261122);
const orders = Number(process.env.CHAOS_ORDERS ?? effort(1_000, 1_000, 2_000));

describeWithPostgres("processes and a Postgres killed at random", (installation) => {
  const bench = useFaultBench(installation);
  let warnings: readonly string[] = ["the run did not finish"];

  it(`complete each of ${orders} orders as one operation (seed ${seed})`, async () => {
    const report = await runChaos(bench(), { seed, orders });
    expect(report.sent).toHaveLength(orders);
    expect(Object.keys(report.faults).length).toBeGreaterThan(0);
    warnings = report.warnings;
  });

  it("trigger no warning of Node, such as a listener leak", () => {
    expect(warnings).toEqual([]);
  });
});

describeWithPostgres("processes and a Postgres killed at random, with transactional work", (installation) => {
  const bench = useFaultBench(installation);

  it(`apply the effect of each of ${orders} orders once (seed ${seed})`, async () => {
    const { sent } = await runChaos(bench(), { seed, orders, transactional: true });
    expect(sent).toHaveLength(orders);
  });
});

describe("processes killed at random that share an SQLite file", () => {
  const bench = useSqliteBench();

  it(`complete each of ${orders} orders as one operation (seed ${seed})`, async () => {
    const { sent, faults, warnings } = await runChaos(bench(), { seed, orders });
    expect(sent).toHaveLength(orders);
    expect(Object.keys(faults).length).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });
});
