import knex from "knex";
import pg from "pg";

/** Changes identifiers and rows, as teams do. */
const hooks = {
  wrapIdentifier: (name, wrap) => wrap(`renamed_${name}`),
  postProcessResponse: (response) => ({ changed: true, response }),
};

export const library = {
  name: "Knex",
  open: async (url, { fromKnex }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
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
