import knex from "knex";
import pg from "pg";

export const library = {
  name: "transaction providers of Knex on a pool of pg",
  open: async (url, { fromKnex }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
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
