import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { openPool } from "./open-pool.mjs";

export const library = {
  name: "Drizzle on postgres.js",
  open: async (url, { fromDrizzle }) => {
    const pool = openPool(url);
    const client = postgres(url, { onnotice: () => {} });
    const db = drizzle(client);
    return {
      pool,
      db,
      transactions: fromDrizzle(db),
      begin: (run) => db.transaction(run),
      nest: (tx, run) => tx.transaction(run),
      run: (tx, text) => tx.execute(sql.raw(text)),
      defect: "postgres.js throws outside of any promise when it rolls back",
      close: async () => {
        await Promise.all([pool.end(), client.end({ timeout: 1 })]);
      },
    };
  },
};
