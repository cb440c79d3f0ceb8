import { setTimeout as sleep } from "node:timers/promises";
import { createService, defineOperation, type StandardSchema } from "async-request-reply";
import { expect, it, vi } from "vitest";
import { effort, FIRST_SEED } from "../../support/effort.js";
import { createRandom } from "../../support/random.js";
import { startProgram } from "./programs.js";
import { describeStages, type OutputStage } from "./stages.js";

const SEED = Number(process.env.KILLS_SEED ?? FIRST_SEED);
/** A batch has this many rows. */
const SIZE = 100;
const ROWS = effort(6_000, 6_000, 100_000);
/** A worker is killed in one of its first batches. */
const MAX_BATCHES = 20;
/** It is killed at a random time after that batch has begun or ended. Longer than a batch takes. Milliseconds. */
const KILL_WITHIN_MS = 8;
/** A night has hours. */
const TIMEOUT_MS = effort(240_000, 240_000, 3_600_000);

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};
const imports = defineOperation({ name: "imports", path: "/imports", input: anything, checkpoint: anything });

describeStages("an import in batches whose worker is killed", (stage) => {
  it(`has each of ${ROWS} rows once (F29, seed ${SEED})`, { timeout: TIMEOUT_MS }, async () => {
    const random = createRandom(SEED);
    const { url, query } = stage();
    const service = createService({ definitions: [imports], backend: stage().open() });
    // No constraint hides that a row was inserted twice.
    await query("create table imported (number integer not null, attempt integer not null)");
    const { operationId } = await service.submit(imports, { rows: ROWS, size: SIZE });
    const isCompleted = async (): Promise<boolean> =>
      (await service.get(imports, operationId))?.status === "completed";
    const start = performance.now();
    let kills = 0;
    let inBatch = 0;
    for (;;) {
      const steps = 1 + random.below(2 * MAX_BATCHES);
      const last = await workAndDie(url, steps, random.below(KILL_WITHIN_MS), isCompleted);
      if (last === "finished") break;
      kills += 1;
      if (last === "begins") inBatch += 1;
    }
    const seconds = Math.round((performance.now() - start) / 1_000);
    console.log({ seed: SEED, rows: ROWS, kills, inBatch, seconds });
    expect(await rowsOf(stage())).toEqual({
      rows: ROWS,
      numbers: ROWS,
      lowest: 0,
      highest: ROWS - 1,
      disorder: 0,
    });
    // Otherwise the kills found nothing to break.
    expect(inBatch).toBeGreaterThan(0);
  });
});

/** Message of a worker: a batch begins or has ended, or all have. */
type Step = "begins" | "ends" | "finished";

/** Starts a worker, and kills it some time after a number of steps, or when the import has ended. Returns its last step. */
async function workAndDie(
  url: string,
  steps: number,
  delayMs: number,
  isCompleted: () => Promise<boolean>,
): Promise<Step | undefined> {
  const seen: Step[] = [];
  const worker = await startProgram({ role: "import", url }, (message) => {
    if ("step" in message) seen.push(message.step as Step);
  });
  try {
    await vi.waitUntil(() => seen.length >= steps || seen.at(-1) === "finished", { interval: 1 });
    if (seen.at(-1) === "finished") await vi.waitUntil(isCompleted);
    else await sleep(delayMs);
  } finally {
    await worker.kill9();
  }
  return seen.at(-1);
}

/** Counts the rows of the import, and rows of an attempt that come after those of a later one. */
async function rowsOf({ query }: OutputStage): Promise<Readonly<Record<string, number>>> {
  const [counts = {}] = await query(
    `select count(*) as "rows", count(distinct number) as numbers, min(number) as lowest, max(number) as highest from imported`,
  );
  const [order = {}] = await query(
    `select count(*) as disorder from (select attempt, lag(attempt) over (order by number) as before from imported) as pairs
     where attempt < before`,
  );
  return Object.fromEntries(
    Object.entries({ ...counts, ...order }).map(([name, value]) => [name, Number(value)]),
  );
}
