import { report } from "../../postgres/sections/fairness.mjs";
import { inMemory, onSqlite } from "../variants.mjs";

/** G16 on SQLite and in memory. */
export async function fairness({ rounds, seed, withVariants }) {
  const ours = [onSqlite, inMemory];
  await withVariants(ours, (opened) => report(opened, ours, { rounds, seed }));
}
