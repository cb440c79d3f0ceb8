import { chosen } from "../../postgres/variants.mjs";
import { inRounds } from "../../rounds.mjs";
import { measureOutput } from "../measure.mjs";
import { printOutput } from "../report.mjs";
import { variants } from "../variants.mjs";

const LOAD = { operations: 200, perSecond: 20 };
const MOST = 1.3;

/** CPU time for each chunk, with a reader of each operation. */
export async function cost({ rounds, seed, seconds, withVariants }) {
  await withVariants(chosen(variants), async (opened) => {
    const samples = await inRounds(opened, { rounds, seed }, (variant) =>
      // In shorter samples, one run of autovacuum changes the result.
      measureOutput(variant, { ...LOAD, seconds: seconds * 10 }),
    );
    printOutput(
      `cost: ${LOAD.operations} operations, ${LOAD.perSecond} chunks per second each, a reader of each`,
      samples,
      { mostCpu: MOST },
    );
  });
}
