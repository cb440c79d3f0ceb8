import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkScene } from "../driver/check-scene.js";
import type { Step } from "../driver/drive.js";
import { type Setting, shortSettings } from "../driver/stages.js";
import { effort, FIRST_SEED, isNight } from "../support/effort.js";
import { buildReleases, type Releases } from "./builds.js";
import { countRecorded, type Recorded } from "./next-schema.js";

const SEED = Number(process.env.UPGRADE_SEED ?? FIRST_SEED);
const SCENES = effort(1, 1, 5);
const ACT_MS = effort(3_000, 3_000, 15_000);
/** Other parts of the pipeline run at the same time. */
const SLOW_MS = 10_000;

let releases: Releases;
beforeAll(() => {
  releases = buildReleases();
});
afterAll(() => releases.remove());

/** Deploys the next release to one process after the other, and rolls it back. Both times, the same processes go first. */
function deployAndRollBack({ old, next }: Releases): readonly Step[] {
  return [
    [old, old, old],
    [next, next, old],
    [next, next, next],
    [old, old, next],
    [old, old, old],
  ].map((builds) => ({ builds, actMs: ACT_MS }));
}

/** Counts what both releases have recorded, before the store of a scene is closed. */
function counting(setting: Setting, onCount: (recorded: Recorded) => void): Setting {
  return {
    ...setting,
    open: async (options) => {
      const stage = await setting.open(options);
      return {
        ...stage,
        close: async () => {
          onCount(await countRecorded(stage.url));
          await stage.close();
        },
      };
    },
  };
}

/** Those with an odd seed have faults. */
const scenes = Array.from({ length: SCENES }, (_, index) => 2 * (SEED + index)).flatMap(
  (seed) =>
    [
      ["under load", seed],
      ["while processes are killed", seed + 1],
    ] as const,
);

/** Before a merge, each store has one of them: SQLite the one without faults. */
function scenesOn({ name }: Setting): typeof scenes {
  return isNight ? scenes : scenes.filter(([, seed]) => hasFaults(seed) === (name !== "SQLite"));
}

function hasFaults(seed: number): boolean {
  return seed % 2 === 1;
}

describe.each(shortSettings())("a deploy and a rollback on $name (F27)", (setting) => {
  it.each(scenesOn(setting))("break no promise %s (seed %i)", async (_, seed) => {
    const counts: Recorded[] = [];
    const counted = counting(setting, (recorded) => counts.push(recorded));
    const { violations, errors } = await checkScene(counted, seed, {
      steps: deployAndRollBack(releases),
      slowMs: SLOW_MS,
    });
    expect(violations).toEqual([]);
    // A deploy alone makes no call fail.
    if (!hasFaults(seed)) expect(errors).toEqual([]);
    expect(counts).toEqual([{ old: expect.toSatisfy(isMany), next: expect.toSatisfy(isMany) }]);
  });
});

function isMany(count: number): boolean {
  return count > 100;
}
