import { expect, it } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { runChaos } from "./chaos.js";
import { useFaultBench } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? 20261122);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 2_000);

describeWithPostgres("processes and a Postgres that are killed at random", (installation) => {
  const bench = useFaultBench(installation);
  let warnings: readonly string[] = ["it did not get to its end"];

  it(`do each of ${ORDERS} orders once, whatever happens (seed ${SEED})`, async () => {
    const report = await runChaos(bench(), { seed: SEED, orders: ORDERS });
    expect(report.sent).toHaveLength(ORDERS);
    expect(Object.keys(report.faults).length).toBeGreaterThan(0);
    warnings = report.warnings;
  });

  it("give Node nothing to warn of, such as a leak of listeners", () => {
    expect(warnings).toEqual([]);
  });
});

describeWithPostgres("the same, with work that shares a transaction with its end", (installation) => {
  const bench = useFaultBench(installation);

  it(`repeat no effect of ${ORDERS} orders (seed ${SEED})`, async () => {
    const report = await runChaos(bench(), { seed: SEED, orders: ORDERS, transactional: true });
    expect(report.sent).toHaveLength(ORDERS);
  });
});
