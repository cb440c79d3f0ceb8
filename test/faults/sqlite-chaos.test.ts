import { describe, expect, it } from "vitest";
import { runChaos } from "./chaos.js";
import { useSqliteBench } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? 20261122);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 2_000);

describe("processes killed at random that share an SQLite file", () => {
  const bench = useSqliteBench();

  it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, async () => {
    const { sent, faults, warnings } = await runChaos(bench(), { seed: SEED, orders: ORDERS });
    expect(sent).toHaveLength(ORDERS);
    expect(Object.keys(faults).length).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });
});
