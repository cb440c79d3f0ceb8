import { describe, expect, it } from "vitest";
import { effort } from "../support/effort.js";
import { actFor, checkScene } from "./check-scene.js";
import { shortSettings } from "./stages.js";

/** Other parts of the pipeline run at the same time. A seam where work stands still costs it longer than that. */
const LIMITS = { steps: actFor(5_000), slowMs: 10_000 };
const WITH_FAULTS = ["with faults", 3] as const;

/** A short form of the random driver: see driver.torture.ts. */
describe.each(shortSettings())("random processes on $name", (store) => {
  it.each(effort([WITH_FAULTS], [WITH_FAULTS], [["without faults", 2], WITH_FAULTS]))(
    "break no promise %s",
    async (_, seed) => {
      const { violations, events } = await checkScene(store, seed, LIMITS);
      expect(violations).toEqual([]);
      expect(events.begun).toBeGreaterThan(100);
    },
  );
});
