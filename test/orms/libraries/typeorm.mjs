import "reflect-metadata";
import { DataSource } from "typeorm";
import { openPool } from "./open-pool.mjs";

export const library = {
  name: "TypeORM",
  open: async (url, { fromTypeOrm }) => {
    const pool = openPool(url);
    const db = new DataSource({ type: "postgres", url });
    await db.initialize();
    return {
      pool,
      db: db.manager,
      transactions: fromTypeOrm(db),
      begin: (run) => db.transaction(run),
      nest: (manager, run) => manager.transaction(run),
      run: (manager, text) => manager.query(text),
      close: async () => {
        await Promise.all([pool.end(), db.destroy()]);
      },
    };
  },
};
