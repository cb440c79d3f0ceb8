import { chosen } from "../../postgres/variants.mjs";
import { inRounds } from "../../rounds.mjs";
import { measureOutput } from "../measure.mjs";
import { printOutput } from "../report.mjs";
import { onPostgres, onSqlite } from "../variants.mjs";

const PER_SECOND = 20;
const COUNTS = [100, 250, 500, 1_000, 1_500];

/** How many operations with a reader each this machine carries. */
export async function many({ seed, seconds, withVariants }) {
  for (const variant of chosen([onPostgres, onSqlite])) {
    const rows = new Map();
    for (const operations of COUNTS) {
      await withVariants([variant], async (opened) => {
        const [name, samples] = [
          ...(await inRounds(opened, { rounds: 1, seed }, (one) =>
            measureOutput(one, { operations, perSecond: PER_SECOND, seconds: seconds * 4 }),
          )),
        ][0];
        rows.set(`${name}, ${operations} operations`, samples);
      });
    }
    printOutput(`many: ${PER_SECOND} chunks per second each, a reader of each`, rows);
  }
}
