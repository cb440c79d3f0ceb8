import { CamelCasePlugin, Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";

/** A plugin that renames columns, as teams use it. */
export const plugins = [new CamelCasePlugin()];

export const library = {
  name: "Kysely",
  open: async (url, { fromKysely }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
    const db = new Kysely({ dialect: new PostgresDialect({ pool }), plugins });
    return {
      pool,
      db,
      transactions: fromKysely(db),
      begin: (run) => db.transaction().execute(run),
      run: async (trx, text) => (await sql.raw(text).execute(trx)).rows,
      close: () => db.destroy(),
    };
  },
};
