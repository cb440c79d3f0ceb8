import { createPool } from "./pool.mjs";
import { createThreeTables, recordAll, threeTableCounts } from "./three-tables.mjs";

/** Key, operation and job in three tables, with one prepared statement and one commit per operation. */
export async function open({ url }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  const tables = threeTableCounts(pool);
  return {
    accept: (order) => recordAll(pool, order),
    reset: tables.empty,
    accepted: async () => Math.min(await tables.keys(), await tables.operations(), await tables.jobs()),
    close: () => pool.end(),
  };
}
