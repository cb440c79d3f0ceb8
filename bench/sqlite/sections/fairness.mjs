import { report, reportQuiet } from "../../postgres/sections/fairness.mjs";
import { inMemory, onSqlite } from "../variants.mjs";

/** G16 on SQLite and in memory. */
export async function fairness({ rounds, seed, withVariants }) {
  const ours = [onSqlite, inMemory];
  await withVariants(ours, async (opened) => {
    await report(opened, ours, { rounds, seed });
    await reportQuiet(opened, ours, { rounds, seed });
  });
}
