import "reflect-metadata";
import pg from "pg";
import { DataSource } from "typeorm";

export const library = {
  name: "TypeORM",
  open: async (url, { fromTypeOrm }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
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
