import { createPool, inTransaction } from "./pool.mjs";
import { createThreeTables, recordJob, recordKeyAndOperation, threeTableCounts } from "./three-tables.mjs";

/** Key, operation and job in three tables, recorded in a transaction of three prepared statements. */
export async function open({ url }) {
  const pool = createPool(url);
  await createThreeTables(pool);
  const tables = threeTableCounts(pool);
  return {
    accept: (order) =>
      inTransaction(pool, async (client) => {
        await recordKeyAndOperation(client, order);
        await recordJob(client, order);
      }),
    reset: tables.empty,
    accepted: async () => Math.min(await tables.keys(), await tables.operations(), await tables.jobs()),
    close: () => pool.end(),
  };
}
