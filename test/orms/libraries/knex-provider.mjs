import knex from "knex";
import { openPool } from "./open-pool.mjs";

export const library = {
  name: "transaction providers of Knex on a pool of pg",
  open: async (url, { fromKnex }) => {
    const pool = openPool(url);
    const db = knex({ client: "pg", connectionPool: pool });
    return {
      pool,
      db,
      transactions: fromKnex(db),
      begin: async (run) => {
        const trx = await db.transactionProvider()();
        try {
          const result = await run(trx);
          await trx.commit();
          return result;
        } catch (error) {
          await trx.rollback();
          throw error;
        }
      },
      nest: (trx, run) => trx.transaction(run),
      knowsEndedNests: true,
      run: async (trx, text) => (await trx.raw(text)).rows,
      close: () => pool.end(),
    };
  },
};
