import { createRandom } from "../support/random.js";
import { thisBuild } from "./actors.js";
import { checkEnds } from "./check-ends.js";
import { checkLosses } from "./check-losses.js";
import { checkPlaces } from "./check-places.js";
import { checkSteps } from "./check-steps.js";
import { checkWaits } from "./check-waits.js";
import { playScene, type Step } from "./drive.js";
import type { Setting } from "./stages.js";

/** The findings of a scene. */
export interface SceneReport {
  readonly violations: readonly string[];
  /** How often each kind of line was written. */
  readonly events: Readonly<Record<string, number>>;
  /** The errors of calls that failed, other than those that the processes ask for. */
  readonly errors: readonly string[];
}

/** The longest wait for work that may run, if its ring arrives, and if it is lost. Milliseconds. */
const WAIT_MS = 2_000;
const LOST_RING_MS = 10_000;
/** Errors of a resource that could not be created, and of a key that another submission is using. */
const EXPECTED = /: (CREATION_FAILED|CREATION_IN_PROGRESS|SUBMISSION_IN_PROGRESS):/;
const ISOLATIONS = ["read committed", "repeatable read", "serializable"];

export interface SceneLimits {
  /** Which processes act, and for how long. Default: four of this checkout, for 20 s. */
  readonly steps?: readonly Step[];
  /** How much longer everything may take on a loaded machine. Default: 1 s. Milliseconds. */
  readonly slowMs?: number;
}

/** Lets four processes of this checkout act for a while. */
export function actFor(actMs: number): readonly Step[] {
  return [{ builds: Array(4).fill(thisBuild), actMs }];
}

/** Plays the scene of a seed, and checks every promise. Scenes with an odd seed have faults. */
export async function checkScene(
  setting: Setting,
  seed: number,
  { steps = actFor(20_000), slowMs = 1_000 }: SceneLimits = {},
): Promise<SceneReport> {
  const random = createRandom(seed);
  const faulty = seed % 2 === 1;
  const listen = random.below(3) > 0;
  const stage = await setting.open({ isolation: random.pick(ISOLATIONS) });
  try {
    const history = await playScene(stage, { seed, steps, listen, ...(faulty && { faultEveryMs: 2_000 }) });
    const events: Record<string, number> = {};
    for (const { what } of history.lines) events[what] = (events[what] ?? 0) + 1;
    const errors = history.lines.flatMap((line) => (line.what === "error" ? [line.error] : []));
    const waitMs = (faulty ? LOST_RING_MS : WAIT_MS) + slowMs;
    const violations = [
      ...checkLosses(history),
      ...checkEnds(history),
      ...checkPlaces(history),
      ...checkSteps(history),
      ...checkWaits(history, waitMs),
    ];
    return { violations, events, errors: errors.filter((error) => !EXPECTED.test(error)) };
  } finally {
    await stage.close();
  }
}
