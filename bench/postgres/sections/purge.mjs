import { median, printRows } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { product } from "../variants.mjs";

const OPERATIONS = 20_000;
const CASES = [
  { name: "not redriven, 1 purger", redriven: false, purgers: 1 },
  { name: "not redriven, 4 purgers", redriven: false, purgers: 4 },
  { name: "redriven and successors, 1 purger", redriven: true, purgers: 1 },
  { name: "redriven and successors, 4 purgers", redriven: true, purgers: 4 },
];

/** How long purges take that delete many operations which expired together, from one process or from several. */
export async function purge({ rounds, seed, withVariants }) {
  await withVariants([product], async ([variant]) => {
    const sample = ({ redriven, purgers }) =>
      variant.call("purge", { operations: OPERATIONS, redriven, purgers });
    const samples = await inRounds(CASES, { rounds, seed }, sample);
    console.log(`\npurge: ${OPERATIONS} operations that expired together`);
    printRows([
      ["operations", "per second", "CPU us", "deadlocks"],
      ...[...samples].map(([name, own]) => [
        name,
        (1e6 / median(own.map(({ wallUs }) => wallUs))).toFixed(0),
        median(own.map(({ cpuUs }) => cpuUs)).toFixed(0),
        String(own.reduce((sum, { deadlocks }) => sum + deadlocks, 0)),
      ]),
    ]);
  });
}
