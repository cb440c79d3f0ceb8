import { describe, expect, it } from "vitest";
import { debianPostgres } from "../support/postgres/postgres-installation.js";
import { actFor, checkScene } from "./check-scene.js";
import { settings } from "./stages.js";

/** Other parts of the pipeline run at the same time. A seam where work stands still costs it longer than that. */
const LIMITS = { steps: actFor(5_000), slowMs: 10_000 };
const stores = settings().filter(({ name }) => ["SQLite", debianPostgres()?.name].includes(name));

/** A short form of the random driver: see driver.torture.ts. */
describe.each(stores)("random processes on $name", (store) => {
  it.each([
    ["without faults", 2],
    ["with faults", 3],
  ])("break no promise %s", async (_, seed) => {
    const { violations, events } = await checkScene(store, seed, LIMITS);
    expect(violations).toEqual([]);
    expect(events.begun).toBeGreaterThan(100);
  });
});
