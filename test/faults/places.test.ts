import { expect, it, vi } from "vitest";
import { effort } from "../support/effort.js";
import { runChaos } from "./chaos.js";
import { startAll } from "./order-bench.js";
import { keysOf, sendAll } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

const SEED = Number(process.env.CHAOS_SEED ?? 20261125);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? effort(400, 400, 1_000));
const PLACES = { running: 6, lanes: 40 };

describeOnEachStore("work that waits for places of killed processes", (bench) => {
  it("begins when the leases of the dead attempts end, and not before", async () => {
    const common = { definition: { limits: { running: 2 } }, worker: { leaseMs: 12_000, concurrency: 2 } };
    const [api, killed] = await startAll(bench(), ["api", "worker"], common);
    await sendAll(keysOf("hang", 2), () => api.baseUrl);
    await vi.waitUntil(() => killed.begun.length === 2);
    await sendAll(["next-1"], () => api.baseUrl);
    await killed.kill9();
    const other = await bench().start({ role: "worker", ...common });
    let looks = 0;
    for (let held = await bench().held(); held === 2; held = await bench().held()) {
      // Read before the count: a place that is free by then may have been taken in between.
      expect(other.begun).toEqual([]);
      looks += 1;
    }
    expect(looks).toBeGreaterThan(1);
    await vi.waitUntil(() => other.begun.length > 0);
    await Promise.all([other.kill9(), api.stop()]);
  });
});

describeOnEachStore("processes killed while all places are taken", (bench) => {
  it(`complete each of ${ORDERS} orders within the limit and in the order of its lane (seed ${SEED})`, async () => {
    const { sent, mostHeld } = await runChaos(bench(), { seed: SEED, orders: ORDERS, places: PLACES });
    expect(sent).toHaveLength(ORDERS);
    expect(mostHeld).toBe(PLACES.running);
  });
});
