import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";

export const library = {
  name: "Drizzle on node-postgres",
  open: async (url, { fromDrizzle }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
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
