import { EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/postgresql";
import { openPool } from "./open-pool.mjs";

/** MikroORM needs an entity. */
const Effect = new EntitySchema({ name: "Effect", properties: { id: { type: "string", primary: true } } });

export const library = {
  name: "MikroORM",
  open: async (url, { fromMikroOrm }) => {
    const pool = openPool(url);
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
