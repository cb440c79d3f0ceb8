import { chosen } from "../../postgres/variants.mjs";
import { inRounds } from "../../rounds.mjs";
import { measureOutput } from "../measure.mjs";
import { printOutput } from "../report.mjs";
import { variants } from "../variants.mjs";

const LOAD = { operations: 1, perSecond: 50 };
const MOST_MS = 15;

/** Time from a write to a reader in another process, with one operation. */
export async function latency({ rounds, seed, seconds, withVariants }) {
  await withVariants(chosen(variants), async (opened) => {
    const samples = await inRounds(opened, { rounds, seed }, (variant) =>
      measureOutput(variant, { ...LOAD, seconds: seconds * 2 }),
    );
    printOutput(`latency: ${LOAD.perSecond} chunks per second of one operation`, samples, {
      mostMs: MOST_MS,
    });
  });
}
