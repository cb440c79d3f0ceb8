import { EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";

/** MikroORM needs an entity. */
const Effect = new EntitySchema({ name: "Effect", properties: { id: { type: "string", primary: true } } });

export const library = {
  name: "MikroORM",
  open: async (url, { fromMikroOrm }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
    const orm = await MikroORM.init({ clientUrl: url, entities: [Effect], logger: () => {} });
    return {
      pool,
      db: orm.em,
      transactions: fromMikroOrm(orm.em),
      begin: (run) => orm.em.fork().transactional(run),
      nest: (em, run) => em.transactional(run),
      run: (em, text) => em.execute(text),
      close: async () => {
        await Promise.all([pool.end(), orm.close()]);
      },
    };
  },
};
