import { expect, it } from "vitest";
import { checkScene } from "./check-scene.js";
import { settings } from "./stages.js";

const SEED = Number(process.env.DRIVER_SEED ?? Date.now() % 1_000_000_000);
const MINUTES = Number(process.env.DRIVER_MINUTES ?? 30);
const CHOSEN = new RegExp(process.env.DRIVER_ON ?? "");

/** Half of the scenes are calm, so that every wait can be judged. */
it.each(settings().filter(({ name }) => CHOSEN.test(name)))(
  `random processes break no promise for ${MINUTES} minutes on $name (seed ${SEED})`,
  async (setting) => {
    const end = performance.now() + MINUTES * 60_000;
    const found: string[] = [];
    const counts: Record<string, number> = {};
    for (let seed = SEED; performance.now() < end; seed += 1) {
      const { violations, events } = await checkScene(setting, seed);
      for (const [what, count] of Object.entries(events)) counts[what] = (counts[what] ?? 0) + count;
      for (const violation of violations) console.log(`seed ${seed}: ${violation}`);
      found.push(...violations);
    }
    console.log(counts);
    expect(found).toEqual([]);
  },
);
