import { describe, expect, it } from "vitest";
import { actFor, checkScene } from "./check-scene.js";
import { shortSettings } from "./stages.js";

/** Other parts of the pipeline run at the same time. A seam where work stands still costs it longer than that. */
const LIMITS = { steps: actFor(5_000), slowMs: 10_000 };

/** A short form of the random driver: see driver.torture.ts. */
describe.each(shortSettings())("random processes on $name", (store) => {
  it.each([
    ["without faults", 2],
    ["with faults", 3],
  ])("break no promise %s", async (_, seed) => {
    const { violations, events } = await checkScene(store, seed, LIMITS);
    expect(violations).toEqual([]);
    expect(events.begun).toBeGreaterThan(100);
  });
});
