import { chosen } from "../../postgres/variants.mjs";
import { inRounds } from "../../rounds.mjs";
import { measureOutput } from "../measure.mjs";
import { printOutput } from "../report.mjs";
import { onPostgres, onSqlite } from "../variants.mjs";

const READERS = 10_000;
const LOAD = { operations: 1, perSecond: 2, seconds: 5, each: READERS };

/** Many readers of one operation. They share what is read. */
export async function followers({ seed, withVariants }) {
  for (const variant of chosen([onPostgres, onSqlite]))
    await withVariants([variant], async (opened) => {
      const samples = await inRounds(opened, { rounds: 1, seed }, (one) => measureOutput(one, LOAD));
      printOutput(`followers: ${READERS} readers of one operation`, samples);
    });
}
