import { describe, expect, it } from "vitest";
import { isNight } from "../support/effort.js";
import { actFor, checkScene } from "./check-scene.js";
import { shortSettings } from "./stages.js";

/** Other parts of the pipeline run at the same time. A seam where work stands still costs it longer than that. */
const LIMITS = { steps: actFor(5_000), slowMs: 10_000 };
/** Those with faults find what the others find. */
const SCENES = [["with faults", 3] as const, ...(isNight ? [["without faults", 2] as const] : [])];

/** A short form of the random driver: see driver.torture.ts. */
describe.each(shortSettings())("random processes on $name", (store) => {
  it.each(SCENES)("break no promise %s", async (_, seed) => {
    const { violations, events } = await checkScene(store, seed, LIMITS);
    expect(violations).toEqual([]);
    expect(events.begun).toBeGreaterThan(100);
  });
});
