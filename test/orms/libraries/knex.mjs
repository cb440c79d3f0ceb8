import knex from "knex";
import { openPool } from "./open-pool.mjs";

/** Changes identifiers and rows, as teams do. */
const hooks = {
  wrapIdentifier: (name, wrap) => wrap(`renamed_${name}`),
  postProcessResponse: (response) => ({ changed: true, response }),
};

export const library = {
  name: "Knex",
  open: async (url, { fromKnex }) => {
    const pool = openPool(url);
    const db = knex({ client: "pg", connection: url, ...hooks });
    return {
      pool,
      db,
      transactions: fromKnex(db),
      begin: (run) => db.transaction(run),
      nest: (trx, run) => trx.transaction(run),
      knowsEndedNests: true,
      run: async (trx, text) => (await trx.raw(text)).response.rows,
      close: async () => {
        await Promise.all([pool.end(), db.destroy()]);
      },
    };
  },
};
