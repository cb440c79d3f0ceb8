import type { Worker } from "../../../worker/worker.js";
import type { Stage } from "../stage.js";
import type { Process } from "../world/process.js";

/** Slow orders take longer than a run, so they are interrupted. Notices fit into the first half. */
const RUN_MS = 45_000;
const PAUSE_MS = 5_000;
const ROUNDS = 3;

/** Lets a worker run for a limited time now and then, as a platform does that calls a function. Sometimes two runs overlap. */
export async function runNowAndThen({ world }: Stage, process: Process, worker: Worker): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const runs = world.choices.weighted([
      ["one run", 2],
      ["two runs", 1],
    ]);
    world.note(`${process.name} begins ${runs}`);
    const run = (): Promise<unknown> => worker.runFor({ maxMs: RUN_MS });
    await Promise.allSettled(runs === "one run" ? [run()] : [run(), run()]);
    await new Promise<void>((resolve) => world.clockOf(process).schedule(PAUSE_MS, resolve));
  }
}
