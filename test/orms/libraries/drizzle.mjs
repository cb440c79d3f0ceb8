import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { openPool } from "./open-pool.mjs";

export const library = {
  name: "Drizzle on node-postgres",
  open: async (url, { fromDrizzle }) => {
    const pool = openPool(url);
    const db = drizzle(pool);
    return {
      pool,
      db,
      transactions: fromDrizzle(db),
      begin: (run) => db.transaction(run),
      nest: (tx, run) => tx.transaction(run),
      run: async (tx, text) => (await tx.execute(sql.raw(text))).rows,
      close: () => pool.end(),
    };
  },
};
