import { library as kysely } from "./kysely.mjs";

/** Savepoints must have different names, because they can be nested. */
let savepoints = 0;

export const library = {
  name: "controlled transactions of Kysely",
  open: async (url, bridges) => {
    const opened = await kysely.open(url, bridges);
    return {
      ...opened,
      begin: async (run) => {
        const trx = await opened.db.startTransaction().execute();
        try {
          const result = await run(trx);
          await trx.commit().execute();
          return result;
        } catch (error) {
          await trx.rollback().execute();
          throw error;
        }
      },
      nest: async (trx, run) => {
        savepoints += 1;
        const name = `nested_${savepoints}`;
        const nested = await trx.savepoint(name).execute();
        try {
          return await run(nested);
        } catch (error) {
          await nested.rollbackToSavepoint(name).execute();
          throw error;
        }
      },
    };
  },
};
