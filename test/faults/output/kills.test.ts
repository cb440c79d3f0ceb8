import type { OutputStore } from "async-request-reply/ports";
import { expect, it } from "vitest";
import { effort, FIRST_SEED } from "../../support/effort.js";
import { type Held, readHeld, readLedgers } from "./lineage.js";
import { type KillOptions, runKills, WAYS } from "./run-kills.js";
import { describeStages } from "./stages.js";

const SEED = Number(process.env.KILLS_SEED ?? FIRST_SEED);
const CHUNKS = 200;
const [OPERATIONS, KILLS] = effort<readonly [number, number]>([12, 5], [12, 5], [500, 200]);
const OPTIONS: KillOptions = { seed: SEED, operations: OPERATIONS, chunks: CHUNKS, kills: KILLS };
/** A night has hours. */
const TIMEOUT_MS = effort(240_000, 240_000, 3_600_000);

describeStages("output of operations whose processes are killed", (stage) => {
  const title = `is whole for all ${WAYS.length * OPERATIONS} readers, without a gap and a chunk twice, after ${KILLS} kills of each role`;

  it(`${title} (F28, seed ${SEED})`, { timeout: TIMEOUT_MS }, async () => {
    const start = performance.now();
    const report = await runKills(stage().url, OPTIONS);
    const seconds = Math.round((performance.now() - start) / 1_000);
    const { output, operations } = stage().open();
    const ledgers = readLedgers(report.ledgers);
    const discards: Record<string, number> = {};
    for (const operation of report.operations) {
      const { chunks, end } = await readStanding(output, operation.id);
      const written = ledgers.standing(operation.id);
      expect(written).toHaveLength(CHUNKS);
      expect(chunks).toEqual(written);
      expect((await operations.get(operation.id, "anonymous"))?.result).toBe(
        JSON.stringify({ attempt: ledgers.lastAttempt(operation.id) }),
      );
      for (const way of WAYS) {
        const held = readHeld(report.keptBy(way, operation));
        discards[way] = (discards[way] ?? 0) + held.discards;
        const right: Omit<Held, "discards"> = { chunks, position: end, closed: true, mistakes: [] };
        expect(held, `read by ${way}`).toMatchObject(right);
      }
    }
    const { kills, continued } = report;
    const { attempts } = ledgers;
    console.log({ ...OPTIONS, kills, attempts, continued, discards, seconds });
    expect(kills).toEqual({ api: KILLS, worker: KILLS, reader: KILLS });
    expect(report.operations).toHaveLength(OPERATIONS);
    // Otherwise the kills found nothing to break.
    expect(attempts).toBeGreaterThan(OPERATIONS);
    expect(continued).toBeGreaterThan(0);
    for (const way of WAYS) expect(discards[way], way).toBeGreaterThan(0);
  });
});

/** Reads what stands in the store, as JSON, and the place after it. */
async function readStanding(
  output: OutputStore,
  id: string,
): Promise<{ readonly chunks: readonly string[]; readonly end: string }> {
  const [slice] = await output.read([{ id, maxLength: 2 ** 30 }]);
  if (slice === undefined) throw new Error(`There is no operation ${id}.`);
  expect(slice).toMatchObject({ upToDate: true, state: "completed" });
  const digits = (value: number): string => String(value).padStart(16, "0");
  return { chunks: slice.chunks, end: `${digits(slice.end.epoch)}_${digits(slice.end.count)}` };
}
