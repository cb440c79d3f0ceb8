import { CamelCasePlugin, Kysely, PostgresDialect, sql } from "kysely";
import { openPool } from "./open-pool.mjs";

/** A plugin that renames columns, as teams use it. */
export const plugins = [new CamelCasePlugin()];

export const library = {
  name: "Kysely",
  open: async (url, { fromKysely }) => {
    const pool = openPool(url);
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
