import { isAsyncReplyError } from "../../contract/errors.js";
import { stateOf } from "./entry.js";
import { short } from "./names.js";
import { portsOf } from "./ports.js";
import type { Stage } from "./stage.js";
import { Process } from "./world.js";

const MAX_TRIES = 3;

/** Runs failed operations again, now and then, each time as another operation. When its process dies another takes its place. */
export async function runOperator(stage: Stage, name: string, over: () => boolean): Promise<void> {
  while (!over()) {
    const process = new Process(name);
    await Promise.race([process.death, redriveAll(stage, process, over)]);
  }
}

async function redriveAll(stage: Stage, process: Process, over: () => boolean): Promise<void> {
  const { world } = stage;
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => world.clockOf(process).schedule(ms, resolve));
  while (!over()) {
    await wait([5_000, 60_000, 600_000][world.choices.choose(3)] ?? 0);
    const id = anyFailed(stage);
    if (id !== undefined) await redrive(stage, process, id);
  }
}

/** Chooses an operation that has failed or, now and then, any other. */
function anyFailed({ world, ledger }: Stage): string | undefined {
  const any = world.choices.choose(8) === 7;
  const entries = ledger.entries.where((entry) => any || stateOf(entry) === "failed");
  return entries[world.choices.choose(entries.length + 1)]?.id;
}

/** Repeats a redrive until it is answered, by the same ids, so that it creates one operation. */
async function redrive(stage: Stage, process: Process, id: string): Promise<void> {
  const { world, newId } = stage;
  const successor = { id: newId(), onEndId: newId() };
  const { operations } = portsOf(stage, process);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      await operations.redrive?.(id, successor);
      return;
    } catch (error) {
      world.note(`${process.name}: redriving ${short(id)} failed`);
      if (!isAsyncReplyError(error)) throw error;
    }
  }
}
