import { expect, it } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { runChaos } from "./chaos.js";
import { useFaultBench } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? 20261122);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 2_000);

describeWithPostgres("processes and a Postgres killed at random", (installation) => {
  const bench = useFaultBench(installation);
  let warnings: readonly string[] = ["the run did not finish"];

  it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, async () => {
    const report = await runChaos(bench(), { seed: SEED, orders: ORDERS });
    expect(report.sent).toHaveLength(ORDERS);
    expect(Object.keys(report.faults).length).toBeGreaterThan(0);
    warnings = report.warnings;
  });

  it("trigger no warning of Node, such as a listener leak", () => {
    expect(warnings).toEqual([]);
  });
});

describeWithPostgres("processes and a Postgres killed at random, with transactional work", (installation) => {
  const bench = useFaultBench(installation);

  it(`apply the effect of each of ${ORDERS} orders once (seed ${SEED})`, async () => {
    const report = await runChaos(bench(), { seed: SEED, orders: ORDERS, transactional: true });
    expect(report.sent).toHaveLength(ORDERS);
  });
});
