import { inRounds } from "../../rounds.mjs";
import { printRateGoals, printRates } from "../report.mjs";
import { product } from "../variants.mjs";

const SIZE = 500;
const alone = "one awaited submit for each";
const together = "one submitMany";

/** G18: throughput of a program that submits 500 orders with one call, beside one that awaits a call for each. */
export const many = manyOf(product);

/** Creates the section for a variant. */
export function manyOf(subject) {
  return async ({ rounds, seed, seconds, withVariants }) => {
    await withVariants([subject], async ([opened]) => {
      const sample = ({ inLists }) => opened.call("many", { size: SIZE, inLists, seconds });
      const ways = [
        { name: alone, inLists: false },
        { name: together, inLists: true },
      ];
      await inRounds(ways, { rounds: 1, seed }, sample); // warm-up
      const samples = await inRounds(ways, { rounds, seed }, sample);
      printRates(`${SIZE} orders, ${subject.name}`, samples, alone);
      printRateGoals([{ goal: "G18", of: together, to: alone, atLeast: 8 }], samples);
    });
  };
}
